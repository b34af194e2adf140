import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answer, RequestCall } from '../operations/operation.ts'
import { refuse } from '../refusals/graph-error.ts'
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

/** One page of a list, with its objects as JSON in parts that are separated by commas. */
export type JsonPage = {
  readonly parts: readonly Buffer[]
  /** The position at which the next page begins; undefined for the last page. */
  readonly next: string | undefined
  /** The number of all objects; undefined when it was not requested. */
  readonly count: number | undefined
  readonly selected: EntityView['selected']
}

/** The objects that one turn of the event loop shows: about 1 ms. */
const objectsPerTurn = 25

/**
 * Objects as JSON, separated by commas, in parts, so that the thread can issue tokens in between.
 * Each part becomes bytes at once, because the garbage collector would stop this thread to copy
 * objects and texts that live until the page is complete.
 */
export async function jsonOf<Entity>(
  call: Pick<RequestCall, 'credentialUses'>,
  set: EntitySet<Entity>,
  { entities, related, view }: EntityPart<Entity>,
): Promise<Buffer[]> {
  const show = await showWithLastUses(call, set, entities, view)
  const parts: Buffer[] = []
  for (let first = 0; first < entities.length; first += objectsPerTurn) {
    if (first > 0) await nextTurn()
    const texts = entities
      .slice(first, first + objectsPerTurn)
      .map((entity, index) => JSON.stringify({ ...show(entity), ...related?.[first + index] }))
    parts.push(Buffer.from(texts.join(',')))
  }
  return parts
}

const comma = Buffer.from(',')

/** Creates the response with one page of a list. */
export function listAnswer<Entity>(
  call: RequestCall,
  set: EntitySet<Entity>,
  { parts, next, count, selected }: JsonPage,
): Answer {
  const head = JSON.stringify({
    '@odata.context': `${call.rootUrl}/$metadata#${set.name}${selection(selected)}`,
    ...(count === undefined ? {} : { '@odata.count': count }),
    ...(next === undefined ? {} : { '@odata.nextLink': nextLink(call, next) }),
  })
  return {
    status: 200,
    contentType: 'application/json',
    content: Buffer.concat([
      Buffer.from(`${head.slice(0, -1)},"value":[`),
      ...parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])),
      Buffer.from(']}'),
    ]),
  }
}

/** Creates a function that shows objects with the last uses of their credentials. */
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
