import { type ClientCredentials, requestToken, type TokenAnswer } from './token-request.ts'

/** A client of a test, with its credentials. */
export class EntraClient<ApiName extends string = string> {
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  readonly #tokenEndpoint: string
  readonly #scopeOf: (api?: ApiName) => string

  constructor(
    { name, clientId, clientSecret }: ClientCredentials & { readonly name: string },
    tokenEndpoint: string,
    scopeOf: (api?: ApiName) => string,
  ) {
    this.name = name
    this.clientId = clientId
    this.clientSecret = clientSecret
    this.#tokenEndpoint = tokenEndpoint
    this.#scopeOf = scopeOf
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
  tokenAnswer(api?: ApiName): Promise<TokenAnswer> {
    const { clientId, clientSecret } = this
    return requestToken(this.#tokenEndpoint, { clientId, clientSecret }, this.#scopeOf(api))
  }
}
