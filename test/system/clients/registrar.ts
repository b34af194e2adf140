import type { Settings } from '../shared-system.ts'

/** The members of Graph's answers that registrations need. */
type Entity = {
  readonly id: string
  readonly appId: string
  readonly secretText: string
  readonly identifierUris: readonly string[]
  readonly appRoles: readonly { readonly id: string; readonly value: string }[]
}

/** A registered application with its secret. */
export type Registered = { readonly applicationId: string; readonly secret: string }

/** Some app roles of an API, by the application ID of the API. */
type RolesOfApi = { readonly api: string; readonly roles: readonly string[] }

const agentIdentity = 'microsoft.graph.agentIdentity'
const sponsors = {
  'sponsors@odata.bind': [
    'https://graph.microsoft.com/v1.0/users/11111111-2222-4333-8444-555555555555',
  ],
}

/** The administrator of a tenant, who registers applications through Graph. */
export class Registrar {
  readonly #graphUrl: string
  readonly #token: string

  private constructor(graphUrl: string, token: string) {
    this.#graphUrl = graphUrl
    this.#token = token
  }

  /** Authenticates the administrator with the settings that the first start wrote. */
  static async from(settings: Settings): Promise<Registrar> {
    const { AUTH_URL, TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '', GRAPH_URL = '' } = settings
    const response = await fetch(`${AUTH_URL}/${TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'https://graph.microsoft.com/.default',
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
      }),
    })
    const { access_token } = (await response.json()) as { access_token: string }
    return new Registrar(`${GRAPH_URL}/v1.0`, access_token)
  }

  /** Registers a client that requests the same permissions as another, without admin consent. */
  async registerWithoutConsent(likeApplicationId: string): Promise<Registered> {
    const { requiredResourceAccess } = (await this.#ask(
      'GET',
      `/applications(appId='${likeApplicationId}')`,
    )) as unknown as { requiredResourceAccess: unknown }
    const displayName = 'Client without consent'
    const { appId } = await this.#ask('POST', '/applications', {
      displayName,
      requiredResourceAccess,
    })
    await this.#ask('POST', '/servicePrincipals', { appId })
    return { applicationId: appId, secret: await this.addSecret(appId) }
  }

  /** Registers a blueprint of agent identities, with its service principal and a secret. */
  async registerBlueprint(displayName: string): Promise<Registered> {
    const body = { displayName, ...sponsors }
    const { appId } = await this.#ask('POST', `/applications/${agentIdentity}Blueprint`, body)
    await this.#ask('POST', `/servicePrincipals/${agentIdentity}BlueprintPrincipal`, { appId })
    return { applicationId: appId, secret: await this.addSecret(appId) }
  }

  /** Registers an agent identity with roles of an API, and returns its ID, which is its client ID. */
  async registerAgent(
    agentIdentityBlueprintId: string,
    displayName: string,
    roles: RolesOfApi,
  ): Promise<string> {
    const body = { displayName, agentIdentityBlueprintId, ...sponsors }
    const { id } = await this.#ask('POST', `/servicePrincipals/${agentIdentity}`, body)
    await this.#assign(id, roles)
    return id
  }

  /** Registers a client with a secret and with roles of an API. */
  async registerClient(displayName: string, roles: RolesOfApi): Promise<Registered> {
    const { appId } = await this.#ask('POST', '/applications', { displayName })
    const { id } = await this.#ask('POST', '/servicePrincipals', { appId })
    await this.#assign(id, roles)
    return { applicationId: appId, secret: await this.addSecret(appId) }
  }

  /** The ID of the service principal of an application. */
  async principalOf(applicationId: string): Promise<string> {
    return (await this.#ask('GET', `/servicePrincipals(appId='${applicationId}')`)).id
  }

  /** Adds a federated identity credential to an application. */
  async trust(applicationId: string, credential: object): Promise<void> {
    const path = `/applications(appId='${applicationId}')/federatedIdentityCredentials`
    await this.#ask('POST', path, credential)
  }

  /** Registers an API that issues tokens only to clients with a role. */
  async registerApiRequiringAssignment(): Promise<string> {
    const displayName = 'API that requires an assignment'
    const { appId, id } = await this.#ask('POST', '/applications', { displayName })
    await this.#ask('PATCH', `/applications/${id}`, { identifierUris: [`api://${appId}`] })
    const principal = await this.#ask('POST', '/servicePrincipals', { appId })
    await this.#ask('PATCH', `/servicePrincipals/${principal.id}`, {
      appRoleAssignmentRequired: true,
    })
    return appId
  }

  /** Adds a secret to an application, valid until a time or, by default, for two years. */
  async addSecret(
    applicationId: string,
    validity: { readonly startDateTime?: string; readonly endDateTime?: string } = {},
  ): Promise<string> {
    const path = `/applications(appId='${applicationId}')/addPassword`
    const { secretText } = await this.#ask('POST', path, { passwordCredential: validity })
    return secretText
  }

  /** Makes a certificate, DER in base64, the only certificate credential of an application. */
  async setCertificate(applicationId: string, base64: string): Promise<void> {
    await this.#ask('PATCH', `/applications(appId='${applicationId}')`, {
      keyCredentials: [{ type: 'AsymmetricX509Cert', usage: 'Verify', key: base64 }],
    })
  }

  /** Adds an identifier URI to an API. */
  async addIdentifierUri(applicationId: string, uri: string): Promise<void> {
    const path = `/applications(appId='${applicationId}')`
    const { identifierUris } = await this.#ask('GET', path)
    await this.#ask('PATCH', path, { identifierUris: [...identifierUris, uri] })
  }

  async #assign(principalId: string, { api, roles }: RolesOfApi): Promise<void> {
    const resource = await this.#ask('GET', `/servicePrincipals(appId='${api}')`)
    for (const { id: appRoleId } of resource.appRoles.filter(({ value }) => roles.includes(value)))
      await this.#ask('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, {
        principalId,
        resourceId: resource.id,
        appRoleId,
      })
  }

  async #ask(method: string, path: string, body?: object): Promise<Entity> {
    const response = await fetch(`${this.#graphUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`)
    return JSON.parse(answer || '{}')
  }
}
