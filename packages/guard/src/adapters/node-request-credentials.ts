import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { RequestCredentials } from '../bearer-credentials.ts'

/** What a Node request presents. Everything is read only when it is asked for. */
export class NodeRequestCredentials implements RequestCredentials {
  readonly #incoming: Pick<IncomingMessage, 'rawHeaders' | 'url' | 'socket'>

  constructor(incoming: Pick<IncomingMessage, 'rawHeaders' | 'url' | 'socket'>) {
    this.#incoming = incoming
  }

  /** From the raw headers: of several `Authorization` fields Node shows only the first. */
  get authorization(): string | readonly string[] | undefined {
    const { rawHeaders } = this.#incoming
    let found: string | undefined
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]
      if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue
      const value = rawHeaders[index + 1] ?? ''
      if (found !== undefined) return [found, value]
      found = value
    }
    return found
  }

  get target(): string {
    return this.#incoming.url ?? ''
  }

  get certificateThumbprint(): string | undefined {
    const socket = this.#incoming.socket as Partial<TLSSocket>
    const certificate = socket.getPeerX509Certificate?.()
    return certificate && createHash('sha256').update(certificate.raw).digest('base64url')
  }
}
