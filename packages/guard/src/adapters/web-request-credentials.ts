import type { RequestCredentials } from '../bearer-credentials.ts'

/** The credentials of a Web request. It joins repeated `Authorization` fields with commas. */
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
