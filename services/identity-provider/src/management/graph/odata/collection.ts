import { refuse } from '../../http/graph-error.ts'
import type { Answer, Call } from '../../http/operation.ts'
import { entityJson, selection } from './entity.ts'
import type { EntitySet, View } from './entity-set.ts'
import { type Comparison, equals } from './filter.ts'
import { optionsOf, parseQuery, type QueryOptions } from './query-options.ts'

/**
 * The answer that lists objects as the query asks for them, page by page in the order of their keys:
 * what is made or deleted between two pages makes no other object appear twice or not at all.
 */
export async function listEntities<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entities: Iterable<Entity>,
): Promise<Answer> {
  const options = parseQuery(call.query, optionsOf.list, set)
  const after = startOf(call, options)
  const view: View = { ...call, selected: options.select, lastUses: new Map() }
  const found = [...entities]
    .filter((entity) => options.filter.every((comparison) => holds(comparison, entity, set, view)))
    .map((entity) => ({ key: set.keyOf(entity), entity }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const rest = after === undefined ? found : found.filter(({ key }) => key > after)
  const page = rest.slice(0, options.top)
  const last = page.at(-1)
  const credentials = page.flatMap(({ entity }) => set.credentialsOf?.(entity) ?? [])
  const lastUses = await call.credentialUses.lastUses(credentials)
  return {
    status: 200,
    body: {
      '@odata.context': `${call.rootUrl}/$metadata#${set.name}${selection(options.select)}`,
      ...(options.count ? { '@odata.count': found.length } : {}),
      ...(last !== undefined && rest.length > page.length
        ? { '@odata.nextLink': nextLink(call, last.key) }
        : {}),
      value: page.map(({ entity }) => entityJson(entity, set, { ...view, lastUses })),
    },
  }
}

function holds<Entity>(
  { property, member, literal }: Comparison,
  entity: Entity,
  set: EntitySet<Entity>,
  view: View,
): boolean {
  const value = set.properties[property]?.(entity, view)
  if (!Array.isArray(value)) return equals(value, literal)
  return value.some((one) => equals(member === undefined ? one : one?.[member], literal))
}

function startOf(call: Call, { skipToken }: QueryOptions): string | undefined {
  if (skipToken === undefined) return undefined
  const after = call.skipTokens.open(listOf(call), skipToken)
  if (after === undefined) throw refuse('skipTokenInvalid')
  return after
}

function nextLink(call: Call, lastKey: string): string {
  const query = new URLSearchParams(call.query)
  query.set('$skiptoken', call.skipTokens.seal(listOf(call), lastKey))
  // Links are read by people and by clients that cut at `$`.
  return `${call.rootUrl}${call.path}?${query.toString().replaceAll('%24', '$')}`
}

/** What a skip token is bound to: whose list this is, and which objects are in it. */
const listOf = ({ caller, path, query }: Call): string =>
  JSON.stringify([caller.tenantId, path, query.get('$filter')])
