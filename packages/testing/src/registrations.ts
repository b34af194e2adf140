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

/** A client of a test, with the roles that it requests of each API. It has one secret. */
export type ClientRegistration<Apis extends ApiRegistrations> = {
  readonly roles?: { readonly [Name in keyof Apis]?: readonly Apis[Name]['roles'][number][] }
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

/** The same registrations in the format of a registrations file. */
export function registrationsFileOf({
  tenantId,
  apis,
  clients = {},
}: Registrations<ApiRegistrations, ClientRegistrations<ApiRegistrations>>): object {
  const requests = Object.entries(clients).map(([displayName, client]) => ({
    displayName,
    client,
    permissions: Object.entries(client.roles ?? {}).map(([api, roles = []]) => ({ api, roles })),
  }))
  return {
    ...(tenantId && { tenant: { id: tenantId } }),
    apis: Object.entries(apis).map(([displayName, api]) => ({
      displayName,
      ...(api.applicationId && { applicationId: api.applicationId }),
      requestedAccessTokenVersion: api.tokenVersion === '2.0' ? 2 : 1,
      appRoleAssignmentRequired: api.isRoleRequired ?? false,
      appRoles: api.roles.map((value) => ({ value, displayName: value, description: value })),
    })),
    clients: requests.map(({ displayName, client, permissions }) => ({
      displayName,
      ...(client.applicationId && { applicationId: client.applicationId }),
      permissions,
      secrets: [{ displayName: 'Secret of the test' }],
    })),
    consents: requests
      .filter(({ client }) => client.hasConsent ?? true)
      .flatMap(({ displayName, permissions }) =>
        permissions.map(({ api }) => ({ client: displayName, api })),
      ),
  }
}
