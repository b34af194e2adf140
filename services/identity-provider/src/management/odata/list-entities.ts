import type { Answer, Call } from '../operations/operation.ts'
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
  const options = parseQuery(call, supportedOptions.list, set)
  const after = lastKeyBefore(call, options)
  const view: EntityView = { ...call, selected: options.select, lastUses: new Map() }
  const matching = [...entities]
    .filter((entity) => options.filter === undefined || holds(options.filter, entity, set, view))
    .map((entity) => ({ key: set.keyOf(entity), entity }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
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

/** The number of the objects in memory that the query selects, as a text. */
export function countEntities<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entities: readonly Entity[],
): Answer {
  if (!call.isEventual) throw refuse('count_unsupported')
  const { filter } = parseQuery(call, supportedOptions.count, set)
  const view = { ...call, selected: undefined, lastUses: new Map() }
  const { length } = entities.filter((one) => filter === undefined || holds(filter, one, set, view))
  return { status: 200, content: String(length), contentType: 'text/plain' }
}
