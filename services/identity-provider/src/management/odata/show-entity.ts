import type { Answer, AnswerWithBody, Call } from '../operations/operation.ts'
import type { EntitySet, EntityView, Expansions } from './entity-set.ts'
import { entityTag } from './entity-tag.ts'
import { parseQuery, type QueryOptions, supportedOptions } from './query-options.ts'

/** Converts an object to JSON: only the selected properties (entra E273), or all and the entity tag. */
export function entityJson<Entity>(
  entity: Entity,
  set: EntitySet<Entity>,
  view: EntityView,
  etag = etagOf(entity, set, view),
) {
  const type = set.typeOf?.(entity, view)
  const shown = Object.fromEntries(
    Object.entries(set.properties)
      .filter(([name, { isSelectedOnly }]) => view.selected?.has(name) ?? !isSelectedOnly)
      .map(([name, { show }]) => [name, show(entity, view)]),
  )
  const first = ((view.rootUrl?.endsWith('/beta') && set.firstInBeta) || '').split(' ')
  return {
    ...(type === undefined ? {} : { '@odata.type': `#microsoft.graph.${type}` }),
    ...(etag === undefined || view.selected ? {} : { '@odata.etag': etag }),
    ...Object.fromEntries(first.flatMap((name) => (name in shown ? [[name, null]] : []))),
    ...shown,
  }
}

/** As in Microsoft Graph, an answer has this many related objects of each property. */
const maxExpanded = 20

/** The related objects of an object, by property. */
export const expanded = <Entity>(
  entity: Entity,
  expansions: Expansions<Entity>,
  { expand }: Pick<QueryOptions, 'expand'>,
  view: EntityView,
): object =>
  Object.fromEntries(
    Array.from(expand, ([name, selected]) => {
      const { find, set } = expansions[name] as Expansions<Entity>[string]
      const found = find(entity, view).slice(0, maxExpanded)
      return [name, found.map((one) => entityJson(one as never, set, { ...view, selected }))]
    }),
  )

/** The view of an object with all properties, but without the last uses of credentials. */
export const shownFor = ({
  caller,
  directory,
}: Pick<Call, 'caller' | 'directory'>): EntityView => ({
  caller,
  directory,
  selected: undefined,
  lastUses: new Map(),
})

/** Shows one object according to the query. */
export async function showEntity<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entity: Entity,
  expansions: Expansions<Entity> = {},
): Promise<AnswerWithBody> {
  const options = parseQuery(call, supportedOptions.entity, set, expansions)
  const view = { ...call, selected: options.select, lastUses: new Map() }
  const etag = etagOf(entity, set, view)
  const credentials = set.credentialsOf?.(entity, view) ?? []
  // Other lookups come before the first `await`: the directory may change while this waits.
  const shown = entityJson(entity, set, view)
  const related = expanded(entity, expansions, options, view)
  const lastUses = await call.credentialUses.lastUses(credentials)
  const body =
    credentials.length === 0 ? shown : entityJson(entity, set, { ...view, lastUses }, etag)
  return {
    status: 200,
    etag,
    body: { '@odata.context': contextOf(call, set, options.select), ...body, ...related },
  }
}

/** Shows an object that this request creates. Its times have more digits than in later responses. */
export function showCreated<Entity>(
  call: Call & { readonly nextMark: string },
  set: EntitySet<Entity>,
  entity: Entity,
): AnswerWithBody {
  parseQuery(call, supportedOptions.nothing)
  const view = { ...call, ...shownFor(call), isNew: true }
  const tagged = set.markOf === undefined ? set : { ...set, markOf: () => call.nextMark }
  return {
    status: 201,
    etag: etagOf(entity, tagged, view),
    location: `${call.rootUrl}${call.path}/${set.keyOf(entity)}`,
    body: { '@odata.context': contextOf(call, set), ...entityJson(entity, tagged, view) },
  }
}

function etagOf<Entity>(
  entity: Entity,
  set: EntitySet<Entity>,
  view: EntityView,
): string | undefined {
  const mark = set.markOf?.(entity, view)
  return mark === undefined ? undefined : entityTag(mark)
}

const contextOf = <Entity>(
  { rootUrl }: Call,
  { name }: EntitySet<Entity>,
  select?: ReadonlySet<string>,
) => `${rootUrl}/$metadata#${name}${selection(select)}/$entity`

/** The part of `@odata.context` that names the selected properties. */
export const selection = (select: ReadonlySet<string> | undefined): string =>
  select === undefined ? '' : `(${[...select].join(',')})`

/**
 * Shows the property of an object that the path names. If it has no value, the response has no content.
 *
 * @see OData 4.01 Part 1 section 11.2.4
 */
export async function showProperty<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entity: Entity,
): Promise<Answer> {
  parseQuery(call, supportedOptions.nothing)
  const { property = '' } = call.parameters
  const query = new URLSearchParams({ $select: property })
  const { body } = await showEntity({ ...call, query }, set, entity)
  const value = (body as Readonly<Record<string, unknown>>)[property] ?? null
  if (value === null) return { status: 204 }
  const context = `${call.rootUrl}/$metadata#${set.name}('${set.keyOf(entity)}')/${property}`
  const isComplex = typeof value === 'object' && !Array.isArray(value)
  return {
    status: 200,
    body: { '@odata.context': context, ...(isComplex ? value : { value }) },
  }
}
