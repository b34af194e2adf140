import { inertAfter, inertPrincipalDefaults, newAgentIdentity } from '@greeting/directory'
import { showCreated } from '../../odata/show-entity.ts'
import type { Change, ChangingCall } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { servicePrincipals } from '../directory-objects/entity-sets.ts'
import { stored } from '../directory-objects/object-operations.ts'
import { requireSponsors, withOwners, withSponsors } from '../directory-objects/owner-operations.ts'
import { parseNewAgent } from './principal-body.ts'

/**
 * Creates an agent identity. It has no application, and its blueprint's credentials authenticate it.
 *
 * @see https://learn.microsoft.com/graph/api/agentidentity-post
 */
export function createAgent(call: ChangingCall): Change {
  const { body, caller, directory, runtime } = call
  const { agentIdentityBlueprintId, displayName, inert, keyCredentials, properties, ...ids } =
    parseNewAgent(body)
  requireNoCredentials(keyCredentials)
  requireSponsors(ids.sponsorIds, true)
  requireCreator(call, agentIdentityBlueprintId)
  const application = directory.applicationByAppId(agentIdentityBlueprintId)
  if (!application?.blueprint) throw refuse('agent_parent_invalid', agentIdentityBlueprintId)
  if (!directory.servicePrincipalByAppId(caller.tenantId, agentIdentityBlueprintId)) {
    throw refuse('blueprint_principal_missing')
  }
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
export function requireNoCredentials(credentials: readonly unknown[] = []): void {
  if (credentials.length > 0) throw refuse('agent_credentials_unsupported')
}

/** A blueprint creates only its own agents. No agent has a role to create any. */
function requireCreator({ caller, committed }: ChangingCall, blueprintId: string): void {
  const { applicationId, ownAgentsOnly } = caller
  if (applicationId === blueprintId) return
  if (committed.applicationByAppId(applicationId)?.blueprint) throw refuse('blueprint_not_parent')
  if (ownAgentsOnly) throw refuse('creator_not_parent')
}
