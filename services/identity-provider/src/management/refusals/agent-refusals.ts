/** A management API refusal on the wire. */
export type Refusal = {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 424 | 500 | 503
  /** The `code` of Microsoft Graph's error envelope. */
  readonly code: string
  readonly sentence: (...values: string[]) => string
  /** The error code of the challenge `WWW-Authenticate: Bearer`. `none` is a challenge without a code. */
  readonly challenge?: 'none' | 'invalid_request' | 'invalid_token' | 'insufficient_scope'
}

/** The first members of a row without a specific code. */
export const badRequest = { status: 400, code: 'Request_BadRequest' } as const

/**
 * Microsoft Graph's refusals for agent identities and their blueprints, with Graph's codes.
 *
 * @see https://learn.microsoft.com/entra/agent-id/error-codes
 */
export const agentRefusals = {
  blueprint_required: {
    status: 400,
    code: 'AgentBlueprintPrincipal_RequireAgentBlueprint',
    sentence: (appId: string) => `The application '${appId}' is not an agent identity blueprint.`,
  },
  blueprint_property_incompatible: {
    status: 400,
    code: 'AgentBlueprint_IncompatibleProperty',
    sentence: (property: string) =>
      `Property '${property}' is incompatible with agent identity blueprints and cannot be set.`,
  },
  agent_parent_invalid: {
    status: 400,
    code: 'AgentIdentity_IncompatibleParentType',
    sentence: (appId: string) =>
      `The application '${appId}' is not an agent identity blueprint. Property 'agentIdentityBlueprintId' must be the appId of one.`,
  },
  blueprint_principal_missing: {
    status: 400,
    code: 'AgentIdentity_AgentBlueprintPrincipalDoesNotExist',
    sentence: () => 'The Agent Blueprint Principal for the Agent Blueprint does not exist.',
  },
  agent_credentials_unsupported: {
    status: 400,
    code: 'AgentIdentity_CredentialsNotSupported',
    sentence: () =>
      'Agent identities do not support credentials. Add them to the agent identity blueprint.',
  },
  blueprint_not_parent: {
    status: 403,
    code: 'Error_AgentBlueprintCannotCreateAssociatedIdentity',
    sentence: () => 'A blueprint cannot create agent identities of another blueprint.',
  },
  creator_not_parent: {
    status: 403,
    code: 'Error_AgentIdentitySelfCreateRequired',
    sentence: () =>
      'An application with this role can create agent identities of itself only: agentIdentityBlueprintId must be its appId.',
  },
  agent_role_blocked: {
    ...badRequest,
    sentence: (role: string) => `The permission '${role}' cannot be granted to an agent identity.`,
  },
  agent_as_resource: {
    ...badRequest,
    sentence: () => 'An agent identity has no roles that can be assigned.',
  },
  inheritable_permission_taken: {
    status: 409,
    code: 'Request_MultipleObjectsWithSameKeyValue',
    sentence: (appId: string) => `An inheritable permission of the API ${appId} already exists.`,
  },
} as const satisfies Record<string, Refusal>
