import { refuse } from '../http/graph-error.ts'

type Literal = string | boolean | null

/** One comparison of a `$filter`. */
export type Comparison = {
  readonly property: string
  /** The compared member within `any`; undefined for the value itself. */
  readonly member: string | undefined
  readonly isAny: boolean
  readonly operator: 'eq' | 'startswith'
  readonly literal: Literal
}

const literal = "(?:'(?<text>(?:[^']|'')*)'|(?<word>true|false|null|[0-9a-fA-F-]{36}))"
const comparisonPattern = new RegExp(String.raw`^(?<property>\w+)\s+eq\s+${literal}`)
const anyPattern = new RegExp(
  String.raw`^(?<property>\w+)/any\(\s*(?<name>\w+)\s*:\s*\k<name>(?:/(?<member>\w+))?\s+eq\s+${literal}\s*\)`,
)
const startPattern = new RegExp(String.raw`^startswith\(\s*(?<property>\w+)\s*,\s*${literal}\s*\)`)
const anyStartPattern = new RegExp(
  String.raw`^(?<property>\w+)/any\(\s*(?<name>\w+)\s*:\s*startswith\(\s*\k<name>\s*,\s*${literal}\s*\)\s*\)`,
)
const patterns = [
  { operator: 'eq', pattern: anyPattern },
  { operator: 'eq', pattern: comparisonPattern },
  { operator: 'startswith', pattern: startPattern },
  { operator: 'startswith', pattern: anyStartPattern },
] as const
const andPattern = /^\s+and\s+/
/** Each object of a list is compared this many times at most. */
const maxComparisons = 20

/**
 * Parses a `$filter`: comparisons by `eq` or `startswith`, alone or within `any`, joined by `and`.
 *
 * @throws {GraphError} graph_refusal query_unsupported for any other filter.
 * @see OData 4.01 Part 2 section 5.1.1
 */
export function parseFilter(text: string): Comparison[] {
  const comparisons: Comparison[] = []
  for (let rest = text.trim(); ; ) {
    const [match, operator] = nextComparison(rest)
    const { property = '', name, member, text: quoted, word } = match.groups ?? {}
    comparisons.push({
      property,
      member,
      isAny: name !== undefined,
      operator,
      literal: quoted === undefined ? constantOrGuid(word) : quoted.replaceAll("''", "'"),
    })
    rest = rest.slice(match[0].length)
    if (rest === '') return comparisons
    if (comparisons.length === maxComparisons) throw refuse('query_unsupported', tooMany)
    const and = andPattern.exec(rest)
    if (and === null) throw refuse('query_unsupported', unsupported)
    rest = rest.slice(and[0].length)
  }
}

function nextComparison(text: string): readonly [RegExpExecArray, Comparison['operator']] {
  for (const { operator, pattern } of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return [match, operator]
  }
  throw refuse('query_unsupported', unsupported)
}

/** Whether a value satisfies a comparison. Texts are compared without case, as in Graph. */
export function satisfies(value: unknown, { literal, operator }: Comparison): boolean {
  if (typeof value !== 'string' || typeof literal !== 'string') {
    return operator === 'eq' && value === literal
  }
  const [text, start] = [value.toLowerCase(), literal.toLowerCase()]
  return operator === 'eq' ? text === start : text.startsWith(start)
}

const unsupported =
  "Unsupported $filter: only eq and startswith are supported, alone or as any on collections (identifierUris/any(x:x eq '...')), joined by and."

const tooMany = `Unsupported $filter: it must not have more than ${maxComparisons} comparisons.`

const constants = new Map<string | undefined, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
])

// Any other word is a GUID, which is compared as text.
const constantOrGuid = (word: string | undefined): Literal => constants.get(word) ?? word ?? null
