import { refuse } from '../http/graph-error.ts'
import type { EntitySet } from './entity-set.ts'
import { type Comparison, parseFilter } from './filter.ts'

/** The parsed query of an object or of a list. */
export type QueryOptions = {
  readonly filter: readonly Comparison[]
  readonly select: ReadonlySet<string> | undefined
  readonly top: number
  readonly count: boolean
  readonly skipToken: string | undefined
}

/** The query options that each kind of answer supports. */
export const supportedOptions = {
  list: ['$filter', '$select', '$top', '$count', '$skiptoken'],
  entity: ['$select'],
  nothing: [],
} as const

const defaultTop = 100
const maxTop = 999

/**
 * Parses the query of a request. Unknown options are refused: a caller must not take the answer to
 * another query for the answer to its own.
 *
 * @throws {GraphError} graph_refusal query_unsupported, query_invalid.
 */
export function parseQuery<Entity>(
  query: URLSearchParams,
  supported: readonly string[],
  set?: EntitySet<Entity>,
): QueryOptions {
  for (const name of new Set(query.keys())) {
    if (!supported.includes(name)) {
      throw refuse('query_unsupported', `The query option '${name}' is not supported here.`)
    }
    if (query.getAll(name).length > 1) {
      throw refuse('query_invalid', `Query option '${name}' was specified more than once.`)
    }
  }
  return {
    filter: filterOf(query.get('$filter'), set),
    select: selectOf(query.get('$select'), set),
    top: topOf(query.get('$top')),
    count: countOf(query.get('$count')),
    skipToken: query.get('$skiptoken') ?? undefined,
  }
}

function filterOf<Entity>(text: string | null, set: EntitySet<Entity> | undefined): Comparison[] {
  if (text === null || set === undefined) return []
  const filter = parseFilter(text)
  for (const { property, isAny, operator } of filter) {
    if (!Object.hasOwn(set.properties, property)) {
      throw refuse('query_invalid', unknownProperty(property, set))
    }
    if (!Object.hasOwn(set.filterable, property)) {
      throw refuse('query_unsupported', `Unsupported property filter clause for '${property}'.`)
    }
    if (isAny !== (set.filterable[property] === 'collection')) {
      throw refuse('query_unsupported', wrongForm(property, isAny))
    }
    if (operator === 'startswith' && !set.searchable?.includes(property)) {
      throw refuse('query_unsupported', `Unsupported filter 'startswith' for '${property}'.`)
    }
  }
  return filter
}

function selectOf<Entity>(
  text: string | null,
  set: EntitySet<Entity> | undefined,
): ReadonlySet<string> | undefined {
  if (text === null || set === undefined) return undefined
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!Object.hasOwn(set.properties, name)) {
      throw refuse(
        'query_invalid',
        `Parsing OData Select and Expand failed: ${unknownProperty(name, set)}`,
      )
    }
  }
  return new Set(names)
}

function topOf(text: string | null): number {
  if (text === null) return defaultTop
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw refuse(
      'query_invalid',
      `Invalid page size specified: '${text}'. Must be between 1 and ${maxTop} inclusive.`,
    )
  }
  return Number(text)
}

function countOf(text: string | null): boolean {
  if (text !== null && text !== 'true' && text !== 'false') {
    throw refuse('query_invalid', "Invalid value for $count: it must be 'true' or 'false'.")
  }
  return text === 'true'
}

const wrongForm = (property: string, isAny: boolean) =>
  isAny
    ? `The property '${property}' is not a collection. Use ${property} eq '...'.`
    : `The property '${property}' is a collection. Use ${property}/any(x:x eq '...').`

const unknownProperty = <Entity>(name: string, { type }: EntitySet<Entity>) =>
  `Could not find a property named '${name}' on type 'microsoft.graph.${type}'.`
