import type { ClientCertificate } from '@greeting/identity-provider/lab'

/** The successful response of the token endpoint (RFC 6749 section 5.1). */
export type TokenAnswer = {
  readonly token_type: 'Bearer'
  readonly access_token: string
  readonly expires_in: number
}

/** The identity provider refused a token request. */
export class TokenRequestError extends Error {
  readonly code = 'token_request_refused'
  override readonly name = 'TokenRequestError'
  readonly status: number
  /** The member `error` of the answer, such as `invalid_client`. */
  readonly error: string
  /** The numbers in AADSTS codes, such as 7000215. */
  readonly errorCodes: readonly number[]

  constructor(status: number, { error = '', error_description: text, error_codes }: RefusalBody) {
    super(`The token request was refused with status ${status}: ${text ?? error}`)
    this.status = status
    this.error = error
    this.errorCodes = error_codes ?? []
  }
}

type RefusalBody = {
  readonly error?: string
  readonly error_description?: string
  readonly error_codes?: readonly number[]
}

/**
 * Requests a token by the client credentials grant, over HTTP.
 *
 * @param endpoint the token endpoint of a tenant
 * @param form client, scope and client authentication
 * @throws {TokenRequestError} token_request_refused with the code of the identity provider
 * @see RFC 6749 section 4.4.2
 */
async function requestToken(
  endpoint: string,
  form: Readonly<Record<string, string>>,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<TokenAnswer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
  })
  if (response.ok) return (await response.json()) as TokenAnswer
  throw new TokenRequestError(response.status, await response.json().catch(() => ({})))
}

/** The credential with which a client authenticates. */
export type ClientCredential =
  | { readonly clientSecret: string }
  | { readonly certificate: ClientCertificate }
  /** Makes a token of the issuer that a federated identity credential trusts. */
  | { readonly federatedToken: () => Promise<string> }

/** The server of a client. */
type ClientPlaces<ApiName extends string> = {
  readonly tokenEndpoint: string
  readonly scopeOf: (api?: ApiName) => string
  readonly now: () => Date
}

/** RFC 7523 section 2.2. */
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A client in a test, with its credential. */
export class EntraClient<ApiName extends string = string> {
  readonly name: string
  readonly clientId: string
  readonly #credential: ClientCredential
  readonly #places: ClientPlaces<ApiName>

  constructor(
    { name, clientId }: { readonly name: string; readonly clientId: string },
    credential: ClientCredential,
    places: ClientPlaces<ApiName>,
  ) {
    this.name = name
    this.clientId = clientId
    this.#credential = credential
    this.#places = places
  }

  /** @throws {TypeError} when the client has another credential */
  get clientSecret(): string {
    if ('clientSecret' in this.#credential) return this.#credential.clientSecret
    throw new TypeError(`The client "${this.name}" has no secret`)
  }

  /** @throws {TypeError} when the client has another credential */
  get certificate(): ClientCertificate {
    if ('certificate' in this.#credential) return this.#credential.certificate
    throw new TypeError(`The client "${this.name}" has no certificate`)
  }

  /**
   * The client assertion of a token request: signed with the key of the certificate, or a token of the
   * issuer that the client trusts.
   *
   * @throws {TypeError} when the client has a secret
   * @see RFC 7523 section 2.2
   */
  async assertion(): Promise<string> {
    if ('federatedToken' in this.#credential) return this.#credential.federatedToken()
    const { now, tokenEndpoint } = this.#places
    return this.certificate.assertion(this.clientId, tokenEndpoint, now())
  }

  /**
   * Requests a token over HTTP, as any client does. Nothing is cached.
   *
   * @param api the name of the API; not needed when there is only one
   * @throws {TokenRequestError} token_request_refused with the code of the identity provider
   */
  async token(api?: ApiName): Promise<string> {
    return (await this.tokenAnswer(api)).access_token
  }

  /**
   * Requests a token, and returns the whole answer.
   *
   * @throws {TokenRequestError} token_request_refused with the code of the identity provider
   */
  async tokenAnswer(api?: ApiName): Promise<TokenAnswer> {
    return this.#request({ scope: this.#places.scopeOf(api) })
  }

  /**
   * Requests the token with which an agent of this blueprint authenticates. An API must refuse it.
   *
   * @param agentId the client ID of the agent
   * @throws {TokenRequestError} token_request_refused with the code of the identity provider
   */
  async exchangeToken(agentId: string): Promise<string> {
    const form = { scope: 'api://AzureADTokenExchange/.default', fmi_path: agentId }
    return (await this.#request(form)).access_token
  }

  async #request(asked: Readonly<Record<string, string>>): Promise<TokenAnswer> {
    const authentication =
      'clientSecret' in this.#credential
        ? { client_secret: this.clientSecret }
        : { client_assertion_type: assertionType, client_assertion: await this.assertion() }
    const form = { client_id: this.clientId, ...asked, ...authentication }
    return requestToken(this.#places.tokenEndpoint, form)
  }
}

/** An agent in a test. A token of its blueprint is its client assertion. */
export class EntraAgent<ApiName extends string = string> extends EntraClient<ApiName> {
  readonly blueprint: EntraClient<ApiName>

  constructor(
    agent: { readonly name: string; readonly clientId: string },
    blueprint: EntraClient<ApiName>,
    places: ClientPlaces<ApiName>,
  ) {
    super(agent, { federatedToken: () => blueprint.exchangeToken(agent.clientId) }, places)
    this.blueprint = blueprint
  }
}
