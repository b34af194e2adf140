import type { EntraClient } from './entra-client.ts'

/** The error when Microsoft Graph refuses a request of the test kit. */
export class GraphRequestError extends Error {
  readonly code = 'graph_request_refused'
  override readonly name = 'GraphRequestError'
  readonly status: number

  constructor(status: number, text: string) {
    super(`Microsoft Graph refused the request with status ${status}: ${text}`)
    this.status = status
  }
}

/** Calls Microsoft Graph as the administrator. */
export class Graph {
  readonly #baseUrl: string
  readonly #administrator: EntraClient

  constructor(url: string, administrator: EntraClient) {
    this.#baseUrl = `${url}/v1.0`
    this.#administrator = administrator
  }

  /**
   * Sends a request.
   *
   * @param path below `/v1.0`, such as `/applications`
   * @throws {GraphRequestError} graph_request_refused with the message of Graph
   */
  async send<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.#administrator.token()}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer
    throw new GraphRequestError(response.status, text.slice(0, 1000))
  }

  /**
   * Replaces the certificates of an application.
   *
   * @param certificate in PEM
   */
  async setCertificate(applicationId: string, certificate: string): Promise<void> {
    const key = Buffer.from(certificate).toString('base64')
    const keyCredentials = [{ type: 'AsymmetricX509Cert', usage: 'Verify', key }]
    await this.send('PATCH', `/applications(appId='${applicationId}')`, { keyCredentials })
  }

  /** Adds a federated identity credential: an application trusts one subject of an issuer. */
  async trust(
    applicationId: string,
    { issuer, subject }: { readonly issuer: string; readonly subject: string },
  ): Promise<void> {
    const path = `/applications(appId='${applicationId}')/federatedIdentityCredentials`
    const audiences = ['api://AzureADTokenExchange']
    await this.send('POST', path, { name: crypto.randomUUID(), issuer, subject, audiences })
  }

  /** The service principal of an application, with its app roles. */
  servicePrincipal(applicationId: string): Promise<ServicePrincipal> {
    return this.send('GET', `/servicePrincipals(appId='${applicationId}')`)
  }

  /** Grants roles of an API to a client, each by one app role assignment. */
  async consent(clientId: string, apiId: string, roles: readonly string[]): Promise<void> {
    const [client, api] = await Promise.all(
      [clientId, apiId].map((id) => this.servicePrincipal(id)),
    )
    if (client === undefined || api === undefined) return
    for (const { id: appRoleId, value } of api.appRoles) {
      if (!roles.includes(value)) continue
      const assignment = { principalId: client.id, resourceId: api.id, appRoleId }
      await this.send('POST', `/servicePrincipals/${client.id}/appRoleAssignments`, assignment)
    }
  }

  /** Withdraws all roles of an API from a client. */
  async withdrawConsent(clientId: string, apiId: string): Promise<void> {
    const [client, api] = await Promise.all(
      [clientId, apiId].map((id) => this.servicePrincipal(id)),
    )
    if (client === undefined || api === undefined) return
    const path = `/servicePrincipals/${client.id}/appRoleAssignments`
    const { value } = await this.send<{ readonly value: readonly Assignment[] }>('GET', path)
    for (const { id, resourceId } of value) {
      if (resourceId === api.id) await this.send('DELETE', `${path}/${id}`)
    }
  }
}

type ServicePrincipal = {
  readonly id: string
  readonly appRoles: readonly { readonly id: string; readonly value: string }[]
}
type Assignment = { readonly id: string; readonly resourceId: string }
