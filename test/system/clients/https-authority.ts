import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Settings } from '../shared-system.ts'

/** A document of the authority, by member. */
export type Document = { readonly [member: string]: unknown }

/** The form fields of a client authentication. */
export type ClientFields = { readonly client_id: string; readonly [field: string]: string }

/** The identity provider over HTTPS, without a client library. */
export class HttpsAuthority {
  readonly origin: string
  readonly tenantId: string
  readonly #greetingScope: string

  /** @param settings the settings that `greeting start` wrote; requests trust its certificate authority */
  constructor(settings: Settings) {
    const { HTTPS_AUTH_URL = '', TENANT_ID = '', NODE_EXTRA_CA_CERTS = '' } = settings
    this.origin = HTTPS_AUTH_URL
    this.tenantId = TENANT_ID
    this.#greetingScope = `api://${settings.API_APPLICATION_ID}/.default`
    setDefaultCACertificates([...getCACertificates(), readFileSync(NODE_EXTRA_CA_CERTS, 'utf8')])
  }

  get tokenEndpoint(): string {
    return `${this.origin}/${this.tenantId}/oauth2/v2.0/token`
  }

  /** Reads a document, by path or by URL. */
  async read<Found = Document>(pathOrUrl: unknown): Promise<Found> {
    const response = await fetch(new URL(String(pathOrUrl), this.origin))
    assert.equal(response.status, 200, String(pathOrUrl))
    return (await response.json()) as Found
  }

  /** Obtains a token for the greeting API, or for another scope at another endpoint. */
  async token(
    client: ClientFields,
    { scope = this.#greetingScope, endpoint = this.tokenEndpoint } = {},
  ): Promise<string> {
    const response = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...client, scope }),
    })
    const { access_token, error_description } = (await response.json()) as Record<string, string>
    assert.ok(access_token, error_description)
    return access_token
  }

  /** Obtains a token for the greeting API with the OpenID scopes that some clients always add. */
  tokenWithOpenIdScopes(client: ClientFields): Promise<string> {
    return this.token(client, { scope: `${this.#greetingScope} openid offline_access profile` })
  }
}

/** The fields of a client that authenticates with a secret. */
export const bySecret = ({ CLIENT_ID = '', CLIENT_SECRET = '' }: Settings): ClientFields => ({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
})
