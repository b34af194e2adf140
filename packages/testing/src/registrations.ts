/** An API of a test, with the values of its app roles. */
export type ApiRegistration = {
  readonly roles: readonly string[]
  /** Default: a new GUID. */
  readonly applicationId?: string
  /** The version of its tokens; default `1.0`. */
  readonly tokenVersion?: '1.0' | '2.0'
  /** Whether a client without a role of the API gets no token; default false. */
  readonly isRoleRequired?: boolean
}

/** The APIs of a test, by name. */
export type ApiRegistrations = Readonly<Record<string, ApiRegistration>>

/** A client of a test, with the roles that it requests of each API. */
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

/** The registrations of a test, written in code. A role that its API lacks does not compile. */
export type Registrations<
  Apis extends ApiRegistrations,
  Clients extends ClientRegistrations<Apis>,
> = {
  readonly tenantId?: string
  readonly apis: Apis
  readonly clients?: Clients
}

type AnyRegistrations = Registrations<ApiRegistrations, ClientRegistrations<ApiRegistrations>>

/** A client that authenticates without a secret. */
export type ClientWithoutSecret = {
  readonly displayName: string
  readonly applicationId: string
  readonly kind: Exclude<ClientRegistration<ApiRegistrations>['credential'], 'secret' | undefined>
}

/** The clients without a secret, each with an application ID. */
export const clientsWithoutSecret = ({
  clients = {},
}: AnyRegistrations): readonly ClientWithoutSecret[] =>
  Object.entries(clients).flatMap(([displayName, { applicationId, credential = 'secret' }]) =>
    credential === 'secret'
      ? []
      : [{ displayName, applicationId: applicationId ?? crypto.randomUUID(), kind: credential }],
  )

/**
 * The same registrations in the format of a registrations file.
 *
 * @param withoutSecret the clients that get no secret
 */
export function registrationsFileOf(
  { tenantId, apis, clients = {} }: AnyRegistrations,
  withoutSecret: readonly ClientWithoutSecret[],
): object {
  for (const [client, { roles = {} }] of Object.entries(clients)) requireApis(client, roles, apis)
  const requests = Object.entries(clients).map(([displayName, client]) => {
    const other = withoutSecret.find((one) => one.displayName === displayName)
    return {
      displayName,
      client,
      applicationId: other?.applicationId ?? client.applicationId,
      secrets: other === undefined ? [{ displayName: 'Secret of the test' }] : [],
      permissions: Object.entries(client.roles ?? {}).map(([api, roles = []]) => ({ api, roles })),
    }
  })
  return {
    ...(tenantId && { tenant: { id: tenantId } }),
    apis: Object.entries(apis).map(([displayName, api]) => ({
      displayName,
      ...(api.applicationId && { applicationId: api.applicationId }),
      requestedAccessTokenVersion: api.tokenVersion === '2.0' ? 2 : 1,
      appRoleAssignmentRequired: api.isRoleRequired ?? false,
      appRoles: api.roles.map((value) => ({ value, displayName: value, description: value })),
    })),
    clients: requests.map(({ applicationId, displayName, permissions, secrets }) => ({
      displayName,
      ...(applicationId && { applicationId }),
      permissions,
      secrets,
    })),
    consents: requests
      .filter(({ client }) => client.hasConsent ?? true)
      .flatMap(({ displayName, permissions }) =>
        permissions.map(({ api }) => ({ client: displayName, api })),
      ),
  }
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
    if (missing !== undefined) {
      throw new TypeError(
        `${isA} names the role "${missing}", which the API "${api}" lacks (roles: ${declared.join(', ')})`,
      )
    }
  }
}
