import { badRequest, conflict, type Refusal, refusal } from './refusal-row.ts'

/**
 * Microsoft Graph's refusals for agent identities and their blueprints, with Graph's codes.
 *
 * @see https://learn.microsoft.com/entra/agent-id/error-codes
 */
export const agentRefusals = {
  blueprint_required: refusal(
    400,
    'AgentBlueprintPrincipal_RequireAgentBlueprint',
    (appId: string) => `The application '${appId}' is not an agent identity blueprint.`,
  ),
  blueprint_property_incompatible: refusal(
    400,
    'AgentBlueprint_IncompatibleProperty',
    (property: string) =>
      `Property '${property}' is incompatible with agent identity blueprints and cannot be set.`,
  ),
  agent_parent_invalid: refusal(
    400,
    'AgentIdentity_IncompatibleParentType',
    (appId: string) =>
      `The application '${appId}' is not an agent identity blueprint. Property 'agentIdentityBlueprintId' must be the appId of one.`,
  ),
  blueprint_principal_missing: refusal(
    400,
    'AgentIdentity_AgentBlueprintPrincipalDoesNotExist',
    'The Agent Blueprint Principal for the Agent Blueprint does not exist.',
  ),
  agent_credentials_unsupported: refusal(
    400,
    'AgentIdentity_CredentialsNotSupported',
    'Agent identities do not support credentials. Add them to the agent identity blueprint.',
  ),
  blueprint_not_parent: refusal(
    403,
    'Error_AgentBlueprintCannotCreateAssociatedIdentity',
    'A blueprint cannot create agent identities of another blueprint.',
  ),
  creator_not_parent: refusal(
    403,
    'Error_AgentIdentitySelfCreateRequired',
    'An application with this role can create agent identities of itself only: agentIdentityBlueprintId must be its appId.',
  ),
  agent_role_blocked: badRequest(
    (role: string) => `The permission '${role}' cannot be granted to an agent identity.`,
  ),
  agent_as_resource: badRequest('An agent identity has no roles that can be assigned.'),
  inheritable_permission_taken: conflict(
    (appId: string) => `An inheritable permission of the API ${appId} already exists.`,
  ),
} as const satisfies Record<string, Refusal>
