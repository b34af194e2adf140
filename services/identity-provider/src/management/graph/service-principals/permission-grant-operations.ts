import {
  type DelegatedConsent,
  type Directory,
  formsOf,
  isGuid,
  type Runtime,
  type ServicePrincipal,
  shownProperties,
} from '@greeting/directory'
import { guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { equalTo, parseFilter } from '../../odata/filter.ts'
import { holds } from '../../odata/holds.ts'
import { jsonOf, lastKeyBefore, listAnswer } from '../../odata/list-answer.ts'
import { listChangesOfParts } from '../../odata/list-changes.ts'
import { isCount, listEntities } from '../../odata/list-entities.ts'
import { parseQuery, queryOptions } from '../../odata/query-options.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Call,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  operation,
} from '../../operations/operation.ts'
import { readsAssignments, writesAssignments } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { activeServicePrincipal, findServicePrincipal } from '../directory-objects/find-object.ts'
import { stored } from '../directory-objects/object-operations.ts'
import { endsOfList } from '../directory-objects/object-type.ts'

/**
 * The operations on delegated permission grants, which are consent to act for users. A grant is
 * stored and shown, and gives no role to a client without a user.
 */
export const permissionGrantOperations: readonly DirectoryOperation[] = [
  operation('GET /oauth2PermissionGrants', readsAssignments, {
    ends: endsOfList(),
    summary:
      'Lists the delegated permission grants of the tenant, or of one client by `$filter=clientId eq`.',
    list: listGrants,
  }),
  operation('GET /oauth2PermissionGrants/delta', readsAssignments, {
    summary:
      'Lists the delegated permission grants. After a change of a service principal, the next round starts again.',
    list: (call) => listChangesOfParts(call, permissionGrants, 'servicePrincipal', grantsOf),
  }),
  operation('POST /oauth2PermissionGrants', writesAssignments, {
    summary: 'Creates a delegated permission grant. It has no effect without a user.',
    action: 'oauth2PermissionGrant.create',
    change: create,
  }),
  operation('GET /oauth2PermissionGrants/{grant}', readsAssignments, {
    summary: 'Shows a delegated permission grant.',
    read: (call) => showEntity(call, permissionGrants, findGrant(call).grant),
  }),
  operation('PATCH /oauth2PermissionGrants/{grant}', writesAssignments, {
    summary: 'Changes the scopes of a delegated permission grant.',
    action: 'oauth2PermissionGrant.update',
    change: update,
  }),
  operation('DELETE /oauth2PermissionGrants/{grant}', writesAssignments, {
    summary: 'Removes a delegated permission grant.',
    action: 'oauth2PermissionGrant.delete',
    change: (call) => {
      const { client, grant } = findGrant(call)
      return changed(client, grant.id, (all) => all.filter(({ id }) => id !== grant.id))
    },
  }),
  operation('GET /servicePrincipals/{id}/oauth2PermissionGrants', readsAssignments, {
    ends: endsOfList(),
    summary: 'Lists the delegated permission grants of a client.',
    read: (call) => listEntities(call, permissionGrants, grantsOf(findServicePrincipal(call))),
  }),
]

type Grant = DelegatedConsent & { readonly clientId: string }

const scope = text(4096)
const properties = {
  clientId: { filter: 'value', body: guid },
  consentType: { filter: 'value', body: z.enum(['AllPrincipals', 'Principal']) },
  id: {},
  principalId: { filter: 'value', body: guid.nullish() },
  resourceId: { filter: 'value', body: guid },
  scope: { body: scope.nullish() },
} as const

export const permissionGrants: EntitySet<Grant> = {
  name: 'oauth2PermissionGrants',
  type: 'oAuth2PermissionGrant',
  keyOf: ({ id }) => id,
  properties: shownProperties<Grant, unknown>(properties),
}

const maxGrants = 200
const newGrant = z
  .strictObject({
    ...formsOf(properties),
    // Graph ignores the times since 2019, and some clients still send them.
    startTime: z.string().nullish(),
    expiryTime: z.string().nullish(),
  })
  .refine(
    ({ consentType, principalId }) => (consentType === 'Principal') === (principalId != null),
    'must have principalId if and only if consentType is Principal',
  )
const changedGrant = z.strictObject({ scope })

const grantsOf = ({ id: clientId, delegatedConsents }: ServicePrincipal): Grant[] =>
  delegatedConsents.map((consent) => ({ ...consent, clientId }))

async function listGrants(call: ListCall): Promise<Answer> {
  const text = queryOptions(call.query).get('$filter')
  const clientId = text === undefined ? undefined : equalTo(parseFilter(text), 'clientId')
  if (clientId === undefined) return await (isCount(call) ? countAll(call) : listAll(call))
  return await call.read((directory) => {
    const client = isGuid(clientId)
      ? activeServicePrincipal(directory, call.caller.tenantId, clientId)
      : undefined
    const grants = client === undefined ? [] : grantsOf(client)
    return listEntities({ ...call, directory }, permissionGrants, grants)
  })
}

const clientsPerPage = 100

const clientsAfter = (call: ListCall, after: string | undefined) =>
  call.list({
    kind: 'servicePrincipal',
    tenantId: call.caller.tenantId,
    createdUntil: call.createdUntil,
    conditions: [],
    isIndexed: false,
    matches: ({ delegatedConsents }) => delegatedConsents.length > 0,
    after,
    limit: clientsPerPage,
    isCounted: false,
  })

async function countAll(call: ListCall, found: Grant[] = [], after?: string): Promise<Answer> {
  const { directory, next, objects } = await clientsAfter(call, after)
  found.push(...objects.flatMap(grantsOf))
  if (next !== undefined) return await countAll(call, found, next)
  return await listEntities({ ...call, directory }, permissionGrants, found)
}

/** The grants of all clients. Each client keeps its own, so the pages follow the clients. */
async function listAll(call: ListCall): Promise<Answer> {
  const options = parseQuery(call, ['$filter', '$select', '$top', '$skiptoken'], permissionGrants)
  const { filter, select, top } = options
  // The client before the first one of this page, and the last grant that was shown of that one.
  const [before, shown = ''] = lastKeyBefore(call, options)?.split(' ') ?? []
  const page = await clientsAfter(call, before || undefined)
  const view = { directory: call.see(page.directory), selected: select, lastUses: new Map() }
  const found = page.objects
    .flatMap((client, at) =>
      grantsOf(client)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((grant) => ({
          grant,
          key: `${page.objects[at - 1]?.id ?? before ?? ''} ${grant.id}`,
        })),
    )
    .filter(({ grant: { clientId, id } }) => clientId !== clientIdIn(shown) || id > shown)
    .filter(({ grant }) => filter === undefined || holds(filter, grant, permissionGrants, view))
  const entities = found.slice(0, top).map(({ grant }) => grant)
  return listAnswer(call, permissionGrants, {
    parts: await jsonOf(call, permissionGrants, { entities, view }),
    next: found.length > top ? found[top - 1]?.key : page.next && `${page.next} `,
    count: undefined,
    selected: select,
  })
}

function create(call: ChangingCall): Change {
  const { caller, directory, runtime } = call
  const {
    clientId,
    consentType,
    principalId = null,
    resourceId,
    ...requested
  } = parseBody(newGrant, call.body)
  const client = activeServicePrincipal(directory, caller.tenantId, clientId)
  if (
    client === undefined ||
    activeServicePrincipal(directory, caller.tenantId, resourceId) === undefined
  ) {
    throw refuse('reference_invalid')
  }
  const isTaken = client.delegatedConsents.some(
    (one) =>
      one.resourceId === resourceId &&
      one.consentType === consentType &&
      one.principalId === principalId,
  )
  if (isTaken) throw refuse('permission_grant_taken')
  if (client.delegatedConsents.length === maxGrants)
    throw refuse('body_invalid', `A client must not have more than ${maxGrants} grants.`)
  const id = grantId(clientId, runtime)
  const consent = { id, consentType, principalId, resourceId, scope: requested.scope ?? '' }
  return changed(
    client,
    id,
    (all) => [...all, consent],
    showCreated(call, permissionGrants, { ...consent, clientId }),
  )
}

function update(call: ChangingCall): Change {
  const { client, grant } = findGrant(call)
  const { scope } = parseBody(changedGrant, call.body)
  return changed(client, grant.id, (all) =>
    all.map((one) => (one.id === grant.id ? { ...one, scope } : one)),
  )
}

const changed = (
  client: ServicePrincipal,
  target: string,
  change: (all: readonly DelegatedConsent[]) => readonly DelegatedConsent[],
  answer?: Change['answer'],
): Change => ({
  ...stored(
    'servicePrincipal',
    { ...client, delegatedConsents: change(client.delegatedConsents) },
    answer,
  ),
  target,
})

function findGrant({ caller, directory, parameters }: Call): {
  readonly client: ServicePrincipal
  readonly grant: Grant
} {
  const { grant: id = '' } = parameters
  const client = clientWithGrant(directory, caller.tenantId, id)
  const grant = client && grantsOf(client).find((one) => one.id === id)
  if (client === undefined || grant === undefined) throw refuse('resource_unknown', id)
  return { client, grant }
}

function clientWithGrant(directory: Directory, tenantId: string, id: string) {
  const clientId = clientIdIn(id)
  return clientId === undefined ? undefined : activeServicePrincipal(directory, tenantId, clientId)
}

const guidBytes = 16

/** Creates the ID of a grant. It begins with the ID of the client, so that the client can be found by it. */
export const grantId = (clientId: string, runtime: Runtime): string =>
  Buffer.concat([
    Buffer.from(clientId.replaceAll('-', ''), 'hex'),
    runtime.randomBytes(guidBytes),
  ]).toString('base64url')

/** The ID of the client in the ID of a grant; undefined for any other text. */
export function clientIdIn(id: string): string | undefined {
  const bytes = Buffer.from(id.slice(0, 64), 'base64url')
  if (bytes.length !== 2 * guidBytes || bytes.toString('base64url') !== id) return undefined
  const hex = bytes.toString('hex', 0, guidBytes)
  const ends = [0, 8, 12, 16, 20, 32]
  return ends
    .slice(1)
    .map((end, part) => hex.slice(ends[part], end))
    .join('-')
}
