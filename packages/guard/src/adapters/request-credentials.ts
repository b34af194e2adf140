import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { RequestCredentials } from '../bearer-credentials.ts'

/** The credentials of a Node request. Each one is read when it is needed. */
export class NodeRequestCredentials implements RequestCredentials {
  readonly #incoming: Pick<IncomingMessage, 'rawHeaders' | 'url' | 'socket'>

  constructor(incoming: Pick<IncomingMessage, 'rawHeaders' | 'url' | 'socket'>) {
    this.#incoming = incoming
  }

  /** From `rawHeaders`, because `headers` has only the first of repeated `Authorization` fields. */
  get authorization(): string | readonly string[] | undefined {
    const { rawHeaders } = this.#incoming
    let first: string | undefined
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]
      if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue
      const value = rawHeaders[index + 1] ?? ''
      if (first !== undefined) return [first, value]
      first = value
    }
    return first
  }

  get target(): string {
    return this.#incoming.url ?? ''
  }

  get certificateThumbprint(): string | undefined {
    const socket = this.#incoming.socket as Partial<TLSSocket>
    const certificate = socket.getPeerX509Certificate?.()
    const digest = certificate?.fingerprint256.replaceAll(':', '')
    return digest && Buffer.from(digest, 'hex').toString('base64url')
  }
}

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
