import type { ChangingCall } from '../../operations/operation.ts'
import { hasRoles } from '../../privileges/caller.ts'
import { agentAccess, type GraphRole } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'

const roleOfProperty: Readonly<Record<string, GraphRole>> = {
  displayName: 'AgentIdentityBlueprint.UpdateBranding.All',
  description: 'AgentIdentityBlueprint.UpdateBranding.All',
  info: 'AgentIdentityBlueprint.UpdateBranding.All',
  keyCredentials: 'AgentIdentityBlueprint.AddRemoveCreds.All',
  passwordCredentials: 'AgentIdentityBlueprint.AddRemoveCreds.All',
}

/**
 * Requires the role of each property that a body changes. A caller that may write all blueprints needs no other.
 *
 * @throws {GraphError} graph_refusal role_missing.
 */
export function requirePropertyRoles({ body, caller, cast }: ChangingCall): void {
  if (cast === undefined || hasRoles(caller.roles, agentAccess(cast, 'write'))) return
  const changed = Object.keys(Object(body)).filter((name) => !name.startsWith('@'))
  const needed = changed.map(
    (name) => roleOfProperty[name] ?? 'AgentIdentityBlueprint.UpdateAuthProperties.All',
  )
  if (
    !hasRoles(
      caller.roles,
      needed.map((role) => [role]),
    )
  )
    throw refuse('role_missing')
}
