import { refuse } from '../refusals/graph-error.ts'

/** One part of a `$filter`: its text, and where it begins. */
export type FilterToken = {
  readonly kind: 'text' | 'word' | 'sign'
  /** The content of a quoted text, a name or number, or one sign. */
  readonly value: string
  readonly at: number
}

/** More than any filter with the permitted number of comparisons needs. */
const maxLength = 8192
const tokenPattern = /\s+|'((?:[^']|'')*)'|([(),/:])|([0-9][\w.:+-]*|[A-Za-z_$@][\w.$@-]*)/y

/**
 * Splits a `$filter` into its parts.
 *
 * @throws {GraphError} graph_refusal query_invalid, with the position of the first unknown character.
 * @see OData 4.01 ABNF
 */
export function filterTokens(text: string): FilterToken[] {
  if (text.length > maxLength)
    throw refuse(
      'query_invalid',
      `Invalid filter clause: it is longer than ${maxLength} characters.`,
    )
  const tokens: FilterToken[] = []
  for (let at = 0; at < text.length; ) {
    tokenPattern.lastIndex = at
    const [match, quoted, sign, word] = tokenPattern.exec(text) ?? []
    if (match === undefined) throw syntaxError(text, at)
    if (quoted !== undefined) {
      tokens.push({ kind: 'text', value: quoted.replaceAll("''", "'"), at })
    } else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at })
    else if (word !== undefined) tokens.push({ kind: 'word', value: word, at })
    at += match.length
  }
  return tokens
}

const maxQuotedLength = 100

/** Creates the refusal of a filter that cannot be parsed. */
export const syntaxError = (text: string, at: number) =>
  refuse(
    'query_invalid',
    `Invalid filter clause: Syntax error at position ${at} in '${text.slice(0, maxQuotedLength)}'.`,
  )
