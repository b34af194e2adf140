import { parse } from '@humanwhocodes/momoa'

/** A member of an object in a JSON text. */
type JsonMember = {
  readonly name: string
  /** Whether an earlier member of its object has the same name. */
  readonly isRepeated: boolean
  /** Offset of its name in the text. */
  readonly start: number
  /** Offset after the punctuation before its name: `{` or `,`. */
  readonly leadStart: number
  /** Number of objects and lists around it. */
  readonly depth: number
  /** Its path from the root. Valid only until the next member is read. */
  readonly path: () => (string | number)[]
}

/** Comments are skipped. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|\/\/[^\n\r]*|\/\*.*?(?:\*\/|$)/gs

type Open = { readonly names: Set<string> | undefined; step: string | number }

/**
 * The members of all objects of a JSON text in order, with repeated members.
 *
 * @param text a text that `JSON.parse` accepts, or one with comments and with commas at the end
 */
export function* jsonMembers(text: string): Generator<JsonMember> {
  const open: Open[] = []
  const path = () => open.map(({ step }) => step)
  let isName = false
  let leadStart = 0
  for (const { 0: found, index: start } of text.matchAll(token)) {
    const inner = open.at(-1)
    if (found === '{' || found === '[') {
      open.push({ names: found === '{' ? new Set() : undefined, step: 0 })
      isName = found === '{'
      leadStart = start + 1
    } else if (found === '}' || found === ']') {
      open.pop()
      isName = false
    } else if (found === ',') {
      if (typeof inner?.step === 'number') inner.step += 1
      isName = inner?.names !== undefined
      leadStart = start + 1
    } else if (isName && inner?.names && found.startsWith('"')) {
      const name: string = JSON.parse(found)
      const isRepeated = inner.names.has(name)
      inner.names.add(name)
      inner.step = name
      isName = false
      yield { name, isRepeated, start, leadStart, depth: open.length, path }
    }
  }
}

/**
 * The members whose object has an earlier member with the same name. A parser silently keeps one of
 * the two (RFC 8259 section 4).
 *
 * @param text a text of which `jsonMembers` gives the members
 * @param max the greatest number of them in the answer
 */
export function repeatedMembers(text: string, max: number): { path: string; line: number }[] {
  const repeated: { path: string; line: number }[] = []
  for (const { isRepeated, path, start } of jsonMembers(text)) {
    if (isRepeated) repeated.push({ path: pathText(path()), line: lineAt(text, start) })
    if (repeated.length === max) break
  }
  return repeated
}

/**
 * The line of a position in a JSON text, counted from 1: of the member at the path, or of the
 * nearest member around it.
 *
 * @param text a text of which `jsonMembers` gives the members
 * @param path a place such as `apis[0].appRoles[1].value`, as an issue of a registrations file names it
 * @returns undefined when no member of the path exists
 */
export function lineOf(text: string, path: string): number | undefined {
  let offset: number | undefined
  let nearest = ''
  for (const { start, path: steps } of jsonMembers(text)) {
    const own = pathText(steps())
    if (isWithin(own, path)) return lineAt(text, start)
    if (isWithin(path, own) && own.length > nearest.length) {
      nearest = own
      offset = start
    }
  }
  return offset === undefined ? undefined : lineAt(text, offset)
}

/** Whether a path is another one, or begins with it. */
const isWithin = (path: string, outer: string) =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

/** A JSON path as text, such as `apis[0].appRoles[1].value`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, depth) =>
      typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')

/**
 * The line of the first syntax error in a text that `JSON.parse` refuses, counted from 1. V8 gives
 * a position for some errors only.
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
