// Folder: The operations on service principals and what they are granted.

import { isDeepStrictEqual } from 'node:util'
import {
  azureApi,
  inertAfter,
  inertPrincipalDefaults,
  isGuid,
  newAgentIdentity,
  newServicePrincipal,
  type ServicePrincipal,
} from '@greeting/directory'
import { requireType } from '../../body/parse-body.ts'
import { entityTag } from '../../odata/entity-tag.ts'
import { entityJson, showCreated, shownFor } from '../../odata/show-entity.ts'
import type { Change, ChangingCall } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { keyCredentialsAfter } from '../directory-objects/credential-body.ts'
import { deletePrincipal } from '../directory-objects/directory-object-operations.ts'
import { servicePrincipals } from '../directory-objects/entity-sets.ts'
import { findServicePrincipal, keyIn } from '../directory-objects/find-object.ts'
import {
  createdBy,
  objectOperations,
  principalRow,
  stored,
} from '../directory-objects/object-operations.ts'
import { typeOf } from '../directory-objects/object-type.ts'
import { requireSponsors, withOwners, withSponsors } from '../directory-objects/owner-operations.ts'
import { parseNewAgent, parseNewPrincipal, parsePrincipal } from './principal-body.ts'

/**
 * The operations on service principals, which are the objects of applications in a tenant. Without
 * one, no token is issued to or for an application.
 */
export const servicePrincipalOperations = objectOperations(principalRow, {
  create: {
    summary: 'Creates the service principal of an application in the tenant.',
    change: create,
  },
  update: {
    summary:
      'Enables or disables a service principal, changes its certificates or its description, or whether access to it requires an assignment.',
    change: update,
  },
  remove: {
    summary: 'Deletes a service principal. It can be restored for 30 days, with its assignments.',
    change: deletePrincipal,
  },
})

function create(call: ChangingCall): Change {
  const { body, caller, cast, committed, directory, runtime } = call
  const ofSet = ['servicePrincipal', 'agentIdentity', 'agentIdentityBlueprintPrincipal'] as const
  const type = requireType(body, cast ? [cast] : ofSet)
  if (type === 'agentIdentity') return createAgent(call)
  const { appId, inert, keyCredentials, ownerIds, properties, sponsorIds } = parseNewPrincipal(body)
  const application = directory.applicationByAppId(appId)
  const isOffered =
    application?.tenantId === caller.tenantId || application?.signInAudience !== 'AzureADMyOrg'
  if (application === undefined || !isOffered)
    throw refuse('application_of_principal_unknown', appId)
  if (type === 'agentIdentityBlueprintPrincipal' && application.blueprint === null)
    throw refuse('blueprint_required', appId)
  if (application.blueprint === null) requireSponsors(sponsorIds, false)
  if (committed.servicePrincipalByAppId(caller.tenantId, appId) !== undefined)
    throw refuse('service_principal_taken', appId)
  const principal: ServicePrincipal = {
    ...newServicePrincipal(caller.tenantId, application, runtime),
    createdByAppId: caller.applicationId,
    ...properties,
    keyCredentials: keyCredentialsAfter([], keyCredentials, runtime),
    ownerIds: withOwners([], ownerIds, call, application.blueprint !== null),
    sponsorIds: withSponsors([], sponsorIds),
    inertProperties: inertAfter({}, inert, inertPrincipalDefaults),
  }
  return stored('servicePrincipal', principal, showCreated(call, servicePrincipals, principal))
}

/** With `Prefer: create-if-missing`, an application ID without service principal gets one. */
function update(call: ChangingCall): Change {
  const { caller, committed, parameters } = call
  const appId = keyIn(parameters.id, 'appId')
  const isMissing =
    appId !== undefined &&
    isGuid(appId) &&
    committed.servicePrincipalByAppId(caller.tenantId, appId) === undefined
  if (isMissing && call.mayCreate) {
    const creation = { action: 'servicePrincipal.create', change: create }
    return createdBy(creation, call, '/servicePrincipals', { appId })
  }
  const before = findServicePrincipal(call)
  const isAgent = before.agentIdentityBlueprintId !== null
  requireType(call.body, ['servicePrincipal', typeOf(before, committed)])
  const { inert, keyCredentials, ownerIds, properties, sponsorIds } = parsePrincipal(
    call.body,
    entityJson(before, servicePrincipals, shownFor(call)),
    isAgent,
  )
  if (ownerIds.length > 0) throw refuse('owners_need_reference')
  requireSponsors(sponsorIds, false)
  if (isAgent) requireNoCredentials(keyCredentials)
  const after: ServicePrincipal = {
    ...before,
    ...properties,
    keyCredentials: keyCredentialsAfter(before.keyCredentials, keyCredentials, call.runtime),
    inertProperties: inertAfter(before.inertProperties, inert, inertPrincipalDefaults),
  }
  // A service principal that is not stored stays so (entra E357).
  if (azureApi(before.appId) !== undefined && isDeepStrictEqual(before, after))
    return { changes: [], target: before.id, answer: { status: 204 } }
  return stored('servicePrincipal', after, { status: 204, etag: entityTag(call.nextMark) })
}

/**
 * Creates an agent identity. It has no application, and its blueprint's credentials authenticate it.
 *
 * @see https://learn.microsoft.com/graph/api/agentidentity-post
 */
function createAgent(call: ChangingCall): Change {
  const { body, caller, directory, runtime } = call
  const { agentIdentityBlueprintId, displayName, inert, keyCredentials, properties, ...ids } =
    parseNewAgent(body)
  requireNoCredentials(keyCredentials)
  requireSponsors(ids.sponsorIds, true)
  requireCreator(call, agentIdentityBlueprintId)
  const application = directory.applicationByAppId(agentIdentityBlueprintId)
  if (!application?.blueprint) throw refuse('agent_parent_invalid', agentIdentityBlueprintId)
  if (!directory.servicePrincipalByAppId(caller.tenantId, agentIdentityBlueprintId))
    throw refuse('blueprint_principal_missing')
  const agent = {
    ...newAgentIdentity(
      caller.tenantId,
      {
        agentIdentityBlueprintId,
        createdByAppId: caller.applicationId,
        displayName,
        sponsorIds: withSponsors([], ids.sponsorIds),
      },
      runtime,
    ),
    ...properties,
    ownerIds: withOwners([], ids.ownerIds, call),
    inertProperties: inertAfter({}, inert, inertPrincipalDefaults),
  }
  return stored('servicePrincipal', agent, showCreated(call, servicePrincipals, agent))
}

/**
 * Requires that a body contains no credentials, because an agent has none.
 * @throws {GraphError} graph_refusal agent_credentials_unsupported.
 */
function requireNoCredentials(credentials: readonly unknown[] = []): void {
  if (credentials.length > 0) throw refuse('agent_credentials_unsupported')
}

/** A blueprint creates only its own agents. No agent has a role to create any. */
function requireCreator({ caller, committed }: ChangingCall, blueprintId: string): void {
  const { applicationId, ownAgentsOnly } = caller
  if (applicationId === blueprintId) return
  if (committed.applicationByAppId(applicationId)?.blueprint) throw refuse('blueprint_not_parent')
  if (ownAgentsOnly) throw refuse('creator_not_parent')
}
