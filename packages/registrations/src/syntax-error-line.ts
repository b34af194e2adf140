import { parse } from '@humanwhocodes/momoa'

/**
 * The line of the first syntax error in a text that `JSON.parse` refuses, counted from 1. V8 names the
 * place of some errors only.
 *
 * @returns undefined when the place is unknown
 */
export function syntaxErrorLine(text: string): number | undefined {
  try {
    parse(text, { mode: 'json' })
    return undefined
  } catch (cause) {
    const line: unknown = cause instanceof Error && 'line' in cause ? cause.line : undefined
    return typeof line === 'number' ? line : undefined
  }
}
