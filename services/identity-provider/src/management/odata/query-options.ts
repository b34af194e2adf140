import { wordsOf } from '@greeting/directory'
import type { ListOrder } from '@greeting/directory/live'
import type { RequestCall } from '../operations/operation.ts'
import { refuse } from '../refusals/graph-error.ts'
import { type EntitySet, type Expansions, propertyNamed, unknownProperty } from './entity-set.ts'
import { combined, type Filter, parseFilter } from './filter.ts'
import { resolveFilter } from './filter-rules.ts'

/** The parsed query of an object or of a list. */
export type QueryOptions = {
  /** `$filter` and `$search` together; undefined without them. */
  readonly filter: Filter | undefined
  /** Undefined for the order of the keys. */
  readonly order: ListOrder | undefined
  readonly select: ReadonlySet<string> | undefined
  /** The properties in `$expand`, each with the `$select` in its brackets. */
  readonly expand: ReadonlyMap<string, ReadonlySet<string> | undefined>
  readonly top: number
  readonly count: boolean
  readonly skipToken: string | undefined
}

/** The query options that each kind of response supports. */
export const supportedOptions = {
  list: ['$filter', '$search', '$orderby', '$select', '$expand', '$top', '$count', '$skiptoken'],
  count: ['$filter', '$search'],
  entity: ['$select', '$expand'],
  changes: ['$select'],
  nothing: [],
} as const

const defaultTop = 100
const maxTop = 999
const maxNameLength = 100

type QueryCall = Pick<RequestCall, 'query' | 'isEventual'>

/**
 * The options of a query by their exact names. As in Graph, a request may write a name in any case, and
 * without its `$`.
 *
 * @throws {GraphError} graph_refusal query_invalid when an option is repeated.
 */
export function queryOptions(query: URLSearchParams): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  for (const [name, value] of query) {
    const option = `$${name.toLowerCase().slice(name.startsWith('$') ? 1 : 0)}`
    if (options.has(option))
      throw refuse('query_invalid', `Query option '${option}' was specified more than once.`)
    options.set(option, value)
  }
  return options
}

/**
 * Parses the query of a request. Unknown options are refused, because a caller must not mistake the
 * response to another query for the response to its own.
 *
 * @throws {GraphError} graph_refusal query_unsupported, query_invalid.
 */
export function parseQuery<Entity>(
  { query, isEventual }: QueryCall,
  supported: readonly string[],
  set?: EntitySet<Entity>,
  expansions: Expansions<Entity> = {},
): QueryOptions {
  const options = queryOptions(query)
  for (const name of options.keys()) {
    if (name === '$skip') throw refuse('skip_unsupported')
    if (!supported.includes(name))
      throw refuse(
        'query_unsupported',
        `The query option '${name.slice(0, maxNameLength)}' is not supported here.`,
      )
  }
  const count = countOf(options.get('$count'))
  const isAdvanced = isEventual && (count || supported === supportedOptions.count)
  const parsed = <Value>(name: string, parse: (text: string, set: EntitySet<Entity>) => Value) => {
    const text = options.get(name)
    return text === undefined || set === undefined ? undefined : parse(text, set)
  }
  const filter = parsed('$filter', (text, set) => resolveFilter(parseFilter(text), set, isAdvanced))
  const search = parsed('$search', (text, set) => searchOf(text, set, isEventual))
  const order = parsed('$orderby', parseOrder)
  // Graph supports both together in advanced queries only.
  if (order !== undefined && filter !== undefined && !isAdvanced)
    throw refuse('query_unsupported', sorting)
  return {
    filter: both(filter, search),
    order,
    select: parsed('$select', selectOf),
    expand: parsed('$expand', (text, set) => expandOf(text, set, expansions)) ?? new Map(),
    top: topOf(options.get('$top')),
    count,
    skipToken: options.get('$skiptoken'),
  }
}

function searchOf<Entity>(text: string, set: EntitySet<Entity>, isEventual: boolean): Filter {
  if (!isEventual)
    throw refuse(
      'query_unsupported',
      "Request with $search query parameter only works through MSGraph with a special request header: 'ConsistencyLevel: eventual'",
    )
  return parseSearch(text, set)
}

const both = (one: Filter | undefined, other: Filter | undefined): Filter | undefined =>
  one !== undefined && other !== undefined ? combined('and', [one, other]) : (one ?? other)

const parsingFault = (reason: string) =>
  refuse('query_invalid', `Parsing OData Select and Expand failed: ${reason}`)

/** Graph's sentence for what cannot be a name (entra E359). */
const invalidTerm = (term: string) =>
  `Term '${term.slice(0, maxNameLength)}' is not valid in a $select or $expand expression.`

function selectOf<Entity>(text: string, set: EntitySet<Entity>): ReadonlySet<string> {
  return new Set(
    text.split(',').map((part) => {
      const name = part.trim()
      const property = propertyNamed(name, set)
      if (property !== undefined) return property
      throw parsingFault(name.startsWith('@') ? invalidTerm(name) : unknownProperty(name, set))
    }),
  )
}

/** Names with brackets that are closed, and commas between them. */
const expandPattern = /^(?:[^,()]+(?:\([^()]*\))?(?:,(?=.)|$))*$/s

/** What Graph expands too: its usual sentence would deny that the property exists. */
const otherExpansions = /(?:Policies|Properties|Objects|Grants|memberOf|OnBehalfOf|sponsors)$/i

function expandOf<Entity>(
  text: string,
  set: EntitySet<Entity>,
  expansions: Expansions<Entity>,
): QueryOptions['expand'] {
  if (!expandPattern.test(text)) throw parsingFault(invalidTerm(text))
  const parts = text.match(/[^,(]+(?:\([^()]*\))?/g) ?? []
  return new Map(
    parts.map((part) => {
      const [name = '', options = ''] = part.split(/[()]/).map((one) => one.trim())
      const isNamed = ([one]: readonly [string, unknown]) =>
        one.toLowerCase() === name.toLowerCase()
      const [known, row] = Object.entries(expansions).find(isNamed) ?? []
      if (known === undefined) {
        if (!otherExpansions.test(name)) throw parsingFault(unknownProperty(name, set))
        const shown = name.slice(0, maxNameLength)
        throw refuse('query_invalid', `$expand of '${shown}' is not supported here.`)
      }
      const query = new URLSearchParams(options.replaceAll(';', '&'))
      const call = { query, isEventual: false }
      return [known, parseQuery(call, supportedOptions.changes, row?.set).select]
    }),
  )
}

function topOf(text: string | undefined): number {
  if (text === undefined) return defaultTop
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw refuse(
      'query_invalid',
      `Invalid page size specified: '${text.slice(0, 20)}'. Must be between 1 and ${maxTop} inclusive.`,
    )
  return Number(text)
}

function countOf(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw refuse('query_invalid', "Invalid value for $count: it must be 'true' or 'false'.")
  return text === 'true'
}

const orderPattern = /^\s*(\w+)(?:\s+(asc|desc))?\s*$/i

/**
 * Parses an `$orderby` of one property.
 *
 * @throws {GraphError} graph_refusal query_invalid, query_unsupported.
 * @see OData 4.01 Part 2 section 5.1.5
 */
export function parseOrder<Entity>(text: string, set: EntitySet<Entity>): ListOrder {
  const [, name = '', direction = 'asc'] = orderPattern.exec(text.slice(0, 256)) ?? []
  if (name === '') throw refuse('query_unsupported', sorting)
  const property = propertyNamed(name, set)
  if (property === undefined) throw refuse('query_invalid', unknownProperty(name, set))
  if (!set.properties[property]?.isSortable) throw refuse('query_unsupported', sorting)
  return { by: property as ListOrder['by'], isDescending: direction.toLowerCase() === 'desc' }
}

/** Graph's sentence for every order that it does not support. */
export const sorting = 'Sorting not supported for current query.'

const maxLength = 1024
const maxClauses = 10
const maxWords = 20
const clausePattern = /\s*(?:(AND|OR)\s+)?"([A-Za-z]+):((?:[^"\\]|\\.)*)"\s*/y
/** A shorter word has no trigrams. */
const minContainedLength = 3

/**
 * Parses a `$search` of directory objects: `"displayName:text"`, joined by `AND` and `OR`. An object
 * matches a clause when its property contains every word of the text, in any order and any case. A word
 * of one or two characters is the beginning of a word of the property (entra E189).
 *
 * @throws {GraphError} graph_refusal query_invalid when it has another form; query_unsupported when the
 *   property cannot be searched.
 * @see https://learn.microsoft.com/graph/search-query-parameter
 */
function parseSearch<Entity>(text: string, set: EntitySet<Entity>): Filter {
  if (text.length > maxLength)
    throw refuse('query_invalid', `The $search is longer than ${maxLength} characters.`)
  // AND binds more tightly than OR.
  const alternatives: Filter[][] = []
  let clauses = 0
  for (let at = 0; at < text.length; clauses += 1) {
    clausePattern.lastIndex = at
    const [match, joint, name = '', value = ''] = clausePattern.exec(text) ?? []
    const isJoined = clauses === 0 ? joint === undefined : joint !== undefined
    if (match === undefined || !isJoined || clauses === maxClauses) throw malformed()
    const clause = clauseOf(name, value, set)
    if (joint === 'AND') alternatives.at(-1)?.push(clause)
    else alternatives.push([clause])
    at += match.length
  }
  if (clauses === 0) throw malformed()
  return combined(
    'or',
    alternatives.map((parts) => combined('and', parts)),
  )
}

function clauseOf<Entity>(name: string, text: string, set: EntitySet<Entity>): Filter {
  const property = propertyNamed(name, set)
  if (property === undefined) throw refuse('query_invalid', unknownProperty(name, set))
  if (!set.properties[property]?.isSearchable)
    throw refuse('query_unsupported', `Unsupported $search: '${property}' cannot be searched.`)
  const words = wordsOf(text.toLowerCase())
  if (words.length === 0 || words.length > maxWords) throw malformed()
  return combined(
    'and',
    words.map((literal) => ({
      kind: 'comparison',
      property,
      member: undefined,
      isAny: false,
      operator: [...literal].length < minContainedLength ? 'startsWord' : 'contains',
      literal,
    })),
  )
}

const malformed = () =>
  refuse(
    'query_invalid',
    `Syntax error in $search: use "displayName:text", with 1 to ${maxWords} words, and at most ${maxClauses} clauses joined by AND and OR.`,
  )
