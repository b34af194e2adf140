import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** The resources whose tokens an administrator requests. */
const resources = {
  graph: 'https://graph.microsoft.com',
  // The management API of this identity provider.
  management: 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6',
} as const

export type Api = keyof typeof resources

/** The administrator of a tenant. It repeats no request. */
export class Administrator {
  readonly #url: string
  readonly #settings: NodeJS.Dict<string>
  readonly #tokens = new Map<Api, Promise<string>>()

  /**
   * @param url the origin of the identity provider
   * @param credentials its settings, or the folder of the server that created the administrator
   */
  constructor(url: string, credentials: string | NodeJS.Dict<string>) {
    this.#url = url
    this.#settings =
      typeof credentials === 'string'
        ? parseEnv(readFileSync(join(credentials, 'administrator.env'), 'utf8'))
        : credentials
  }

  get clientId(): string {
    return this.#settings.CLIENT_ID ?? ''
  }

  get clientSecret(): string {
    return this.#settings.CLIENT_SECRET ?? ''
  }

  /** Sends a request with a token of the administrator. */
  async send(api: Api, method: string, path: string, body?: object): Promise<Response> {
    const token = this.#tokens.get(api) ?? this.#requestToken(api)
    this.#tokens.set(api, token)
    const headers = { authorization: `Bearer ${await token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch(`${this.#url}${path}`, { method, headers, ...sent })
  }

  /** Creates a tenant, and returns its administrator. */
  async createTenant(displayName: string): Promise<Administrator> {
    const answer = await this.send('management', 'POST', '/management/tenants', { displayName })
    if (answer.status !== 201) throw new Error(`${displayName}: ${answer.status}`)
    const { id, administrator } = (await answer.json()) as {
      readonly id: string
      readonly administrator: { readonly clientId: string; readonly clientSecret: string }
    }
    return new Administrator(this.#url, {
      TENANT_ID: id,
      CLIENT_ID: administrator.clientId,
      CLIENT_SECRET: administrator.clientSecret,
    })
  }

  /**
   * Creates an application, and returns its ID.
   *
   * @throws {Error} with the status, when the change is not acknowledged
   */
  async createApplication(displayName: string): Promise<string> {
    const answer = await this.send('graph', 'POST', '/v1.0/applications', { displayName })
    const text = await answer.text()
    if (answer.status !== 201) throw new Error(`${displayName}: ${answer.status} ${text}`)
    return (JSON.parse(text) as { readonly id: string }).id
  }

  /** The names of all applications. */
  async applicationNames(): Promise<ReadonlySet<string>> {
    return new Set(await this.eachApplicationName())
  }

  /** The name of each application: two applications may have the same one. */
  async eachApplicationName(): Promise<readonly string[]> {
    const names: string[] = []
    let path: string | undefined = '/v1.0/applications?$select=displayName&$top=999'
    while (path !== undefined) {
      const answer = await this.send('graph', 'GET', path)
      const page = (await answer.json()) as {
        value: readonly { displayName: string }[]
        '@odata.nextLink'?: string
      }
      for (const { displayName } of page.value) names.push(displayName)
      const next: string | undefined = page['@odata.nextLink']
      path = next && new URL(next).pathname + new URL(next).search
    }
    return names
  }

  async #requestToken(api: Api): Promise<string> {
    const answer = await fetch(`${this.#url}/${this.#settings.TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: this.clientId,
        client_secret: this.clientSecret,
        scope: `${resources[api]}/.default`,
      }),
    })
    if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`)
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return token
  }
}
