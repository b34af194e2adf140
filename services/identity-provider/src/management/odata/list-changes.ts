import { type DirectoryObjects, isGuid } from '@greeting/directory'
import type { ChangePage, ChangePosition, Commit, FollowedKind } from '@greeting/directory/live'
import type { Answer, ListCall } from '../operations/operation.ts'
import { GraphError, refuse } from '../refusals/graph-error.ts'
import type { EntitySet, EntityView } from './entity-set.ts'
import { type Filter, parseFilter } from './filter.ts'
import { showWithLastUses } from './list-answer.ts'
import { parseQuery, queryOptions, supportedOptions } from './query-options.ts'
import { selection } from './show-entity.ts'

const pageSize = 100
/** As in Microsoft Graph. */
const maxIds = 50
/** More than a token with the permitted number of IDs has. */
const maxTokenLength = 8192

/** What a client asked for first, which its tokens repeat. */
type Selection = {
  readonly select?: readonly string[] | undefined
  readonly ids?: readonly string[] | undefined
}

/** The state of a client, in its tokens: between the pages of a round, or between two rounds. */
type Round = Selection & {
  readonly since?: Commit | undefined
  readonly until?: Commit | undefined
  readonly after?: ChangePosition | undefined
}

/** The tokens of a change list: one continues a round, the other begins the next one. */
type TokenOption = '$skiptoken' | '$deltatoken'

/**
 * Lists the objects of a set that changed since an earlier request, page by page. The first round lists all
 * objects, and its last page has the link to the next round.
 *
 * @throws {GraphError} graph_refusal delta_token_invalid; sync_state_lost when the changes since the token
 *   are not known any more; query_unsupported, query_invalid.
 * @see https://learn.microsoft.com/graph/delta-query-overview
 */
export const listChanges = <Kind extends FollowedKind>(
  call: ListCall,
  set: EntitySet<DirectoryObjects[Kind]>,
  kind: Kind,
): Promise<Answer> =>
  listRound(call, set, kind, async ({ objects }, view) => {
    const present = objects.flatMap(({ value }) => (isActive(value) ? [value] : []))
    const show = await showWithLastUses(call, set, present, view)
    const shownById = new Map(present.map((entity) => [entity.id, show(entity)]))
    return objects.map(({ id, value }) => shownById.get(id) ?? removed(id, value))
  })

/**
 * Lists parts of the objects of a kind, like {@link listChanges}. Removing a part leaves no mark,
 * so after a change to an object the client must start again.
 *
 * @throws {GraphError} as `listChanges`; sync_state_lost also when an object changed since the token
 */
export const listChangesOfParts = <Kind extends FollowedKind, Part>(
  call: ListCall,
  set: EntitySet<Part>,
  kind: Kind,
  partsOf: (object: DirectoryObjects[Kind]) => readonly Part[],
): Promise<Answer> =>
  listRound(call, set, kind, async ({ objects }, view, round) => {
    if (round.since !== undefined && objects.length > 0) throw resetOf(call, set, round)
    const parts = objects.flatMap(({ value }) => (isActive(value) ? partsOf(value) : []))
    return parts.map(await showWithLastUses(call, set, parts, view))
  })

async function listRound<Kind extends FollowedKind, Entity>(
  call: ListCall,
  set: EntitySet<Entity>,
  kind: Kind,
  shown: (page: ChangePage<Kind>, view: EntityView, round: Round) => Promise<readonly object[]>,
): Promise<Answer> {
  const { isLatest, round } = roundOf(call, set)
  const { after, ids, select, since, until } = round
  const page = await call.listChanges({
    kind,
    since,
    until,
    after,
    // From now on: no object, and the link to the next round.
    ids: isLatest ? [] : ids,
    tenantId: call.caller.tenantId,
    limit: pageSize,
  })
  if (page === undefined) throw resetOf(call, set, round)
  const view: EntityView = {
    rootUrl: call.rootUrl,
    directory: page.directory,
    selected: select && new Set(['id', ...select]),
    lastUses: new Map(),
  }
  const value = await shown(page, view, round)
  const link =
    page.next === undefined
      ? linkTo(call, set, '$deltatoken', { select, ids, since: page.until })
      : linkTo(call, set, '$skiptoken', { ...round, until: page.until, after: page.next })
  return {
    status: 200,
    body: {
      '@odata.context': `${call.rootUrl}/$metadata#${set.name}${selection(select && new Set(select))}`,
      [page.next === undefined ? '@odata.deltaLink' : '@odata.nextLink']: link,
      value,
    },
  }
}

type Deletable = { readonly deletedDateTime: Date | null }

const isActive = <Entity extends Deletable>(value: Entity | null): value is Entity =>
  value !== null && value.deletedDateTime === null

/** A deleted object, as `changed` when it can be restored. */
const removed = (id: string, value: Deletable | null) => ({
  id,
  '@removed': { reason: value === null ? 'deleted' : 'changed' },
})

/** The round of a request, and whether it asks for the link to the next round only. */
function roundOf<Entity>(
  call: ListCall,
  set: EntitySet<Entity>,
): { readonly round: Round; readonly isLatest: boolean } {
  const options = queryOptions(call.query)
  const token = options.get('$deltatoken') ?? ''
  const isLatest = token.toLowerCase() === 'latest'
  const isStart = (token === '' || isLatest) && !options.has('$skiptoken')
  if (isStart) return { round: parseSelection(call, set, options), isLatest }
  const [name, value] = [...options][0] ?? ['', '']
  if (options.size > 1 || !isTokenOption(name))
    throw refuse('query_invalid', 'A $skiptoken or $deltatoken contains the other query options.')
  const isBounded = value.length <= maxTokenLength
  const text = isBounded ? call.skipTokens.open(bindingOf(call, set, name), value) : undefined
  if (text === undefined) throw refuse('delta_token_invalid')
  return { round: JSON.parse(text), isLatest: false }
}

const isTokenOption = (name: string): name is TokenOption =>
  name === '$skiptoken' || name === '$deltatoken'

function parseSelection<Entity>(
  call: ListCall,
  set: EntitySet<Entity>,
  options: ReadonlyMap<string, string>,
): Selection {
  const filter = options.get('$filter')
  const others = [...options].filter(([name]) => name !== '$deltatoken' && name !== '$filter')
  const query = new URLSearchParams(others)
  const { select } = parseQuery({ ...call, query }, supportedOptions.changes, set)
  return {
    select: select && [...select],
    ids: filter === undefined ? undefined : idsOf(parseFilter(filter, limits)),
  }
}

const limits = { maxComparisons: maxIds, maxAlternatives: maxIds }

/** The IDs of a filter such as `id eq '...' or id eq '...'`. Microsoft Graph supports no other here. */
function idsOf(filter: Filter): readonly string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsOf)
  const isId =
    filter.kind === 'comparison' &&
    filter.operator === 'eq' &&
    filter.property.toLowerCase() === 'id' &&
    typeof filter.literal === 'string' &&
    isGuid(filter.literal)
  if (isId) return [String(filter.literal).toLowerCase()]
  throw refuse(
    'query_unsupported',
    `Unsupported $filter: changes can be filtered by the IDs of at most ${maxIds} objects, joined by or.`,
  )
}

/** A token belongs to one tenant and one set. Its MAC covers this text. */
const bindingOf = <Entity>(
  { caller }: ListCall,
  { name }: Pick<EntitySet<Entity>, 'name'>,
  option: TokenOption,
): string => JSON.stringify(['changes', caller.tenantId, name, option])

function linkTo<Entity>(
  call: ListCall,
  set: EntitySet<Entity>,
  option: TokenOption,
  round: Round,
): string {
  const token = call.skipTokens.seal(bindingOf(call, set, option), JSON.stringify(round))
  return `${call.rootUrl}/${set.name}/delta?${option}=${token}`
}

/** The refusal of a token whose changes are lost, with the request by which the client starts again. */
function resetOf<Entity>(
  { rootUrl }: ListCall,
  { name }: EntitySet<Entity>,
  { ids, select }: Selection,
): GraphError {
  const query = new URLSearchParams()
  if (select !== undefined) query.set('$select', select.join(','))
  if (ids !== undefined) query.set('$filter', ids.map((id) => `id eq '${id}'`).join(' or '))
  query.set('$deltatoken', '')
  const { message, refusal } = refuse('sync_state_lost')
  const location = `${rootUrl}/${name}/delta?${query.toString().replaceAll('%24', '$')}`
  return new GraphError(refusal, message, { location })
}
