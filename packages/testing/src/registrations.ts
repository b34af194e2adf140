/** An API in a test, with the values of its app roles. */
export type ApiRegistration = {
  readonly roles: readonly string[]
  /** Default: a new GUID. */
  readonly applicationId?: string
  /** The version of its tokens; default `1.0`. */
  readonly tokenVersion?: '1.0' | '2.0'
  /** Whether a client without a role of the API gets no token; default false. */
  readonly isRoleRequired?: boolean
  /** The lifetime of its tokens in seconds, 600 to 86400; default: that of the settings. */
  readonly tokenLifetimeSeconds?: number
}

/** The APIs of a test, by name. */
export type ApiRegistrations = Readonly<Record<string, ApiRegistration>>

/** A client in a test, with the roles that it requests from each API. */
export type ClientRegistration<Apis extends ApiRegistrations> = {
  readonly roles?: { readonly [Name in keyof Apis]?: readonly Apis[Name]['roles'][number][] }
  /**
   * How the client authenticates; default `secret`. `certificate` makes a key at the start. `federated`
   * trusts tokens of `entra.federation`.
   */
  readonly credential?: 'secret' | 'certificate' | 'federated'
  /** Whether an administrator has granted the roles; default true. */
  readonly hasConsent?: boolean
  /** Default: a new GUID. */
  readonly applicationId?: string
}

/** The clients of a test, by name. */
export type ClientRegistrations<Apis extends ApiRegistrations> = Readonly<
  Record<string, ClientRegistration<Apis>>
>

/** An agent identity in a test. */
export type AgentRegistration<Apis extends ApiRegistrations> = Pick<
  ClientRegistration<Apis>,
  'roles' | 'hasConsent' | 'applicationId'
>

/** A blueprint in a test, with its agents by name. Its `credential` authenticates them. */
export type BlueprintRegistration<Apis extends ApiRegistrations> = ClientRegistration<Apis> & {
  /** The APIs whose roles the agents inherit from the blueprint. */
  readonly inherit?: readonly Extract<keyof Apis, string>[]
  readonly agents: Readonly<Record<string, AgentRegistration<Apis>>>
}

/** The blueprints of a test, by name. */
export type BlueprintRegistrations<Apis extends ApiRegistrations> = Readonly<
  Record<string, BlueprintRegistration<Apis>>
>

/** The registrations of a test, written in code. A role that its API does not declare is a type error. */
export type Registrations<
  Apis extends ApiRegistrations,
  Clients extends ClientRegistrations<Apis>,
  Blueprints extends BlueprintRegistrations<Apis> = BlueprintRegistrations<Apis>,
> = {
  readonly tenantId?: string
  readonly apis: Apis
  readonly clients?: Clients
  readonly blueprints?: Blueprints
}

type AnyRegistrations = Registrations<ApiRegistrations, ClientRegistrations<ApiRegistrations>>

/** A client that authenticates without a secret. */
export type ClientWithoutSecret = {
  readonly displayName: string
  readonly applicationId: string
  readonly kind: Exclude<ClientRegistration<ApiRegistrations>['credential'], 'secret' | undefined>
}

/** The clients without a secret, each with its application ID. */
export const clientsWithoutSecret = ({
  clients = {},
  blueprints = {},
}: AnyRegistrations): readonly ClientWithoutSecret[] =>
  Object.entries({ ...clients, ...blueprints }).flatMap(
    ([displayName, { applicationId, credential = 'secret' }]) =>
      credential === 'secret'
        ? []
        : [{ displayName, applicationId: applicationId ?? crypto.randomUUID(), kind: credential }],
  )

/**
 * Converts registrations in code to the format of a registrations file.
 *
 * @param withoutSecret the clients that get no secret
 */
export function registrationsFileOf(
  { tenantId, apis, clients = {}, blueprints = {} }: AnyRegistrations,
  withoutSecret: readonly ClientWithoutSecret[],
): object {
  const agents = Object.values(blueprints).flatMap((one) => Object.entries(one.agents))
  const callers = [...Object.entries(clients), ...Object.entries(blueprints), ...agents]
  for (const [api, one] of Object.entries(apis)) requireKeys(`the API "${api}"`, one, apiKeys)
  for (const [caller, one] of callers) {
    requireKeys(`the client "${caller}"`, one, callerKeys)
    requireApis(caller, one.roles ?? {}, apis)
  }
  const entryOf = ([displayName, { applicationId, roles = {} }]: (typeof callers)[number]) => ({
    displayName,
    ...(applicationId && { applicationId }),
    permissions: Object.entries(roles).map(([api, values = []]) => ({ api, roles: values })),
  })
  const clientOf = (named: (typeof callers)[number]) => {
    const other = withoutSecret.find(({ displayName }) => displayName === named[0])
    return {
      ...entryOf(named),
      ...(other && { applicationId: other.applicationId }),
      secrets: other ? [] : [{ displayName: 'Secret of the test' }],
    }
  }
  return {
    ...(tenantId && { tenant: { id: tenantId } }),
    apis: Object.entries(apis).map(([displayName, api]) => ({
      displayName,
      ...(api.applicationId && { applicationId: api.applicationId }),
      requestedAccessTokenVersion: api.tokenVersion === '2.0' ? 2 : 1,
      appRoleAssignmentRequired: api.isRoleRequired ?? false,
      appRoles: api.roles.map((value) => ({ value, displayName: value, description: value })),
    })),
    clients: Object.entries(clients).map(clientOf),
    blueprints: Object.entries(blueprints).map(([name, one]) => ({
      ...clientOf([name, one]),
      inherit: one.inherit ?? [],
      agents: Object.entries(one.agents).map(entryOf),
    })),
    consents: callers.flatMap(([client, { hasConsent = true, roles = {} }]) =>
      hasConsent ? Object.keys(roles).map((api) => ({ client, api })) : [],
    ),
  }
}

const apiKeys = 'roles, applicationId, tokenVersion, isRoleRequired, tokenLifetimeSeconds'
const callerKeys = 'roles, credential, hasConsent, applicationId, inherit, agents'

/** @throws {TypeError} when the registration has an unknown key */
function requireKeys(of: string, one: object, known: string): void {
  const unknown = Object.keys(one).find((key) => !known.split(', ').includes(key))
  if (unknown)
    throw new TypeError(`registrations: ${of} has the unknown key "${unknown}" (keys: ${known})`)
}

/**
 * TypeScript finds these mistakes. JavaScript does not.
 *
 * @throws {TypeError} when the client has a role of an API that does not exist, or that lacks the role
 */
function requireApis(
  client: string,
  roles: Readonly<Record<string, readonly string[] | undefined>>,
  apis: AnyRegistrations['apis'],
): void {
  const isA = `registrations: the client "${client}"`
  for (const [api, values = []] of Object.entries(roles)) {
    const declared = Object.hasOwn(apis, api) ? apis[api]?.roles : undefined
    if (declared === undefined) {
      const known = Object.keys(apis).join(', ') || 'none'
      throw new TypeError(`${isA} names the API "${api}", which does not exist (APIs: ${known})`)
    }
    const missing = values.find((value) => !declared.includes(value))
    if (missing !== undefined)
      throw new TypeError(
        `${isA} names the role "${missing}", which the API "${api}" lacks (roles: ${declared.join(', ')})`,
      )
  }
}
