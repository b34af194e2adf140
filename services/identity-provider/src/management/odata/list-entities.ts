import type { Answer, Call, RequestCall } from '../operations/operation.ts'
import { refuse } from '../refusals/graph-error.ts'
import type { EntitySet, EntityView } from './entity-set.ts'
import { holds } from './holds.ts'
import { jsonOf, lastKeyBefore, listAnswer } from './list-answer.ts'
import { parseQuery, supportedOptions } from './query-options.ts'

/**
 * Lists objects in memory according to the query, page by page in the order of their keys. An object
 * that is created or deleted between two pages does not repeat or hide any other.
 */
export async function listEntities<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entities: Iterable<Entity>,
): Promise<Answer> {
  const isCounted = isCount(call)
  const options = parseQuery(call, supportedOptions[isCounted ? 'count' : 'list'], set)
  const after = lastKeyBefore(call, options)
  const view: EntityView = { ...call, selected: options.select, lastUses: new Map() }
  const matching = [...entities]
    .filter((entity) => options.filter === undefined || holds(options.filter, entity, set, view))
    .map((entity) => ({ key: set.keyOf(entity), entity }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  if (isCounted) return numberAnswer(matching.length)
  const rest = after === undefined ? matching : matching.filter(({ key }) => key > after)
  const page = rest.slice(0, options.top)
  const shown = page.map(({ entity }) => entity)
  return listAnswer(call, set, {
    parts: await jsonOf(call, set, { entities: shown, view }),
    next: rest.length > page.length ? page.at(-1)?.key : undefined,
    count: options.count ? matching.length : undefined,
    selected: options.select,
  })
}

/** True if the suffix of a path requests the number of objects in a list. */
export function isCount({ isEventual, parameters: { end = '' } }: RequestCall): boolean {
  const isCounted = end.endsWith('/$count')
  if (isCounted && !isEventual) throw refuse('query_unsupported', withoutHeader)
  return isCounted
}

const withoutHeader =
  "Raw count (/$count) is not supported because the 'ConsistencyLevel:eventual' header is missing. Refer to https://aka.ms/graph-docs/advanced-queries for more information"

export const numberAnswer = (count: number): Answer => ({
  status: 200,
  content: String(count),
  contentType: 'text/plain',
})
