import type { RequestCredentials } from '../bearer-credentials.ts'

/** What a Web request presents. Several `Authorization` fields reach it joined by commas. */
export class WebRequestCredentials implements RequestCredentials {
  readonly #request: Pick<Request, 'headers' | 'url'>

  constructor(request: Pick<Request, 'headers' | 'url'>) {
    this.#request = request
  }

  get authorization(): string | undefined {
    return this.#request.headers.get('authorization') ?? undefined
  }

  get target(): string {
    return this.#request.url
  }
}
