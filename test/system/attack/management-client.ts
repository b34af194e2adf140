import {
  createHash,
  createPrivateKey,
  type KeyObject,
  randomUUID,
  sign,
  X509Certificate,
} from 'node:crypto'
import type { ManagementApi } from './documented-roles.ts'

const scopes: Readonly<Record<ManagementApi, string>> = {
  graph: 'https://graph.microsoft.com/.default',
  server: 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6/.default',
}

export const prefixes: Readonly<Record<ManagementApi, string>> = {
  graph: '/v1.0',
  server: '/management',
}

export type Reply = {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly text: string
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A private key with its self-signed certificate. Each attacker has its own. */
export class ClientCertificate {
  readonly #key: KeyObject
  readonly #thumbprint: string
  /** The certificate in base64, as Graph takes it. */
  readonly base64: string

  /** @param pem the private key and the certificate */
  constructor(pem: string) {
    const { raw } = new X509Certificate(pem)
    this.#key = createPrivateKey(pem)
    this.#thumbprint = createHash('sha256').update(raw).digest('base64url')
    this.base64 = raw.toString('base64')
  }

  assertion(clientId: string, aud: string): string {
    const now = Math.floor(Date.now() / 1000)
    const times = { nbf: now, exp: now + 300, jti: randomUUID() }
    const header = encode({ typ: 'JWT', alg: 'RS256', 'x5t#S256': this.#thumbprint })
    const signed = `${header}.${encode({ aud, iss: clientId, sub: clientId, ...times })}`
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#key).toString('base64url')}`
  }
}

/** A credential of another client, whose tokens a federated identity credential trusts. */
type Exchange = { readonly appId: string; readonly credential: Credential }
export type Credential = string | ClientCertificate | Exchange

/** Sends requests to an identity provider, without any knowledge of its code. */
export class ManagementClient {
  readonly origin: string
  requests = 0

  constructor(origin: string) {
    this.origin = origin
  }

  async send(
    method: string,
    path: string,
    token?: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    this.requests += 1
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    return { status: response.status, text, body: isJson ? JSON.parse(text) : {} }
  }

  /** @returns the access token; undefined when it is refused */
  async token(
    tenantId: string,
    api: ManagementApi | { readonly scope: string },
    clientId: string,
    credential: Credential,
  ): Promise<string | undefined> {
    this.requests += 1
    const url = `${this.origin}/${tenantId}/oauth2/v2.0/token`
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        scope: typeof api === 'string' ? scopes[api] : api.scope,
        ...(await this.#authentication(tenantId, clientId, credential, url)),
      }),
      signal: AbortSignal.timeout(30_000),
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    return token
  }

  async #authentication(
    tenantId: string,
    clientId: string,
    credential: Credential,
    url: string,
  ): Promise<Record<string, string>> {
    if (typeof credential === 'string') return { client_secret: credential }
    const scope = 'api://AzureADTokenExchange/.default'
    const assertion =
      credential instanceof ClientCertificate
        ? credential.assertion(clientId, url)
        : await this.token(tenantId, { scope }, credential.appId, credential.credential)
    return { client_assertion: assertion ?? '', client_assertion_type: assertionType }
  }
}

/** The roles in a token, which is read without verification. */
export function rolesIn(token: string): readonly string[] {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).roles ?? []
}
