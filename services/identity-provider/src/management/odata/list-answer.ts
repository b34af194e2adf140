import { setImmediate as nextTurn } from 'node:timers/promises'
import { refuse } from '../http/graph-error.ts'
import type { Answer, RequestCall } from '../http/operation.ts'
import type { EntitySet, EntityView } from './entity-set.ts'
import { type QueryOptions, queryOptions } from './query-options.ts'
import { entityJson, selection } from './show-entity.ts'

/** Objects of one page of a list, before they are shown. */
export type EntityPart<Entity> = {
  readonly entities: readonly Entity[]
  readonly view: EntityView
  /** The related objects of each object, in the same order; undefined without `$expand`. */
  readonly related?: readonly object[] | undefined
}

/** One page of a list, with its objects as JSON. */
export type TextPage = {
  readonly texts: readonly string[]
  /** The position at which the next page begins; undefined for the last page. */
  readonly next: string | undefined
  /** The number of all objects; undefined when it was not requested. */
  readonly count: number | undefined
  readonly selected: EntityView['selected']
}

/**
 * Objects as JSON. Text at once: objects that live until the page is complete would stop this thread
 * while the garbage collector copies them.
 */
export async function textsOf<Entity>(
  call: Pick<RequestCall, 'credentialUses'>,
  set: EntitySet<Entity>,
  { entities, related, view }: EntityPart<Entity>,
): Promise<string[]> {
  const show = await showWithLastUses(call, set, entities, view)
  return mapInTurns(entities, (entity, index) =>
    JSON.stringify({ ...show(entity), ...related?.[index] }),
  )
}

/** The answer with one page of a list. */
export function listAnswer<Entity>(
  call: RequestCall,
  set: EntitySet<Entity>,
  { texts, next, count, selected }: TextPage,
): Answer {
  const head = JSON.stringify({
    '@odata.context': `${call.rootUrl}/$metadata#${set.name}${selection(selected)}`,
    ...(count === undefined ? {} : { '@odata.count': count }),
    ...(next === undefined ? {} : { '@odata.nextLink': nextLink(call, next) }),
  })
  return {
    status: 200,
    contentType: 'application/json',
    text: `${head.slice(0, -1)},"value":[${texts.join(',')}]}`,
  }
}

/** A function that shows each of these objects, with the last uses of its credentials. */
export async function showWithLastUses<Entity>(
  { credentialUses }: Pick<RequestCall, 'credentialUses'>,
  set: EntitySet<Entity>,
  entities: readonly Entity[],
  view: EntityView,
): Promise<(entity: Entity) => object> {
  const credentials = entities.flatMap((entity) => set.credentialsOf?.(entity, view) ?? [])
  const lastUses = await credentialUses.lastUses(credentials)
  return (entity) => entityJson(entity, set, { ...view, lastUses })
}

/** The objects that one turn of the event loop shows: about 1 ms. */
const objectsPerTurn = 25

/** Maps the objects of a page. Between two parts, the thread issues tokens. */
async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % objectsPerTurn === 0) await nextTurn()
    results.push(map(item, index))
  }
  return results
}

/**
 * The position in the skip token of a request; undefined for the first page.
 *
 * @throws {GraphError} graph_refusal skip_token_invalid.
 */
export function lastKeyBefore(call: RequestCall, { skipToken }: QueryOptions): string | undefined {
  if (skipToken === undefined) return undefined
  const after = call.skipTokens.open(listBinding(call), skipToken)
  if (after === undefined) throw refuse('skip_token_invalid')
  return after
}

function nextLink(call: RequestCall, lastKey: string): string {
  const query = new URLSearchParams(call.query)
  for (const name of [...query.keys()]) if (isSkipToken(name)) query.delete(name)
  query.set('$skiptoken', call.skipTokens.seal(listBinding(call), lastKey))
  // Some clients cut links at `$`, so it is not percent-encoded.
  return `${call.rootUrl}${call.path}?${query.toString().replaceAll('%24', '$')}`
}

const isSkipToken = (name: string) => /^\$?skiptoken$/i.test(name)

/** A skip token belongs to one list: its tenant and path, its filter and order. */
function listBinding({ caller, path, query }: RequestCall): string {
  const options = queryOptions(query)
  const parts = ['$filter', '$search', '$orderby'].map((name) => options.get(name) ?? null)
  return JSON.stringify([caller.tenantId, path, ...parts])
}
