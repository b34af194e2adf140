import { refuse } from '../http/graph-error.ts'
import type { Answer, Call } from '../http/operation.ts'
import type { EntitySet, EntityView } from './entity-set.ts'
import { type Comparison, equalsLiteral } from './filter.ts'
import { parseQuery, type QueryOptions, supportedOptions } from './query-options.ts'
import { entityJson, selection } from './show-entity.ts'

/**
 * Lists objects according to the query, page by page in the order of their keys. An object that is
 * created or deleted between two pages does not repeat or hide any other.
 */
export async function listEntities<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entities: Iterable<Entity>,
): Promise<Answer> {
  const options = parseQuery(call.query, supportedOptions.list, set)
  const after = lastKeyBefore(call, options)
  const view: EntityView = { ...call, selected: options.select, lastUses: new Map() }
  const matching = [...entities]
    .filter((entity) => options.filter.every((comparison) => holds(comparison, entity, set, view)))
    .map((entity) => ({ key: set.keyOf(entity), entity }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const rest = after === undefined ? matching : matching.filter(({ key }) => key > after)
  const page = rest.slice(0, options.top)
  const last = page.at(-1)
  const credentials = page.flatMap(({ entity }) => set.credentialsOf?.(entity) ?? [])
  const lastUses = await call.credentialUses.lastUses(credentials)
  return {
    status: 200,
    body: {
      '@odata.context': `${call.rootUrl}/$metadata#${set.name}${selection(options.select)}`,
      ...(options.count ? { '@odata.count': matching.length } : {}),
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
  view: EntityView,
): boolean {
  const value = set.properties[property]?.(entity, view)
  if (!Array.isArray(value)) return equalsLiteral(value, literal)
  return value.some((one) => equalsLiteral(member === undefined ? one : one?.[member], literal))
}

function lastKeyBefore(call: Call, { skipToken }: QueryOptions): string | undefined {
  if (skipToken === undefined) return undefined
  const after = call.skipTokens.open(listBinding(call), skipToken)
  if (after === undefined) throw refuse('skip_token_invalid')
  return after
}

function nextLink(call: Call, lastKey: string): string {
  const query = new URLSearchParams(call.query)
  query.set('$skiptoken', call.skipTokens.seal(listBinding(call), lastKey))
  // Some clients cut links at `$`, so it is not percent-encoded.
  return `${call.rootUrl}${call.path}?${query.toString().replaceAll('%24', '$')}`
}

/** A skip token belongs to one list: its tenant, path and filter. */
const listBinding = ({ caller, path, query }: Call): string =>
  JSON.stringify([caller.tenantId, path, query.get('$filter')])
