// Folder: Tokens with any content, and hostile tokens.

import { KeyObject, sign } from 'node:crypto'
import type { LabHost, MintRequest } from '../lab-host.ts'
import { attackerKey } from '../test-keys.ts'

type Json = Record<string, unknown>

/** Creates tokens with any content, signed with the keys of the server or of an attacker. */
export class Forge {
  readonly #host: LabHost

  constructor(host: LabHost) {
    this.#host = host
  }

  /**
   * Makes a token.
   *
   * @throws {MintError} mint_invalid when the API or the client does not exist
   */
  async mint(request: MintRequest): Promise<string> {
    const { header, claims } = await this.#host.genuine(request)
    const key = request.key === 'unpublished' ? attackerKey() : this.#host.publishedKey()
    const privateKey = request.key instanceof KeyObject ? request.key : key.privateKey
    const named = { ...header, ...keyNames(header, key.kid), ...request.header }
    return signed(named, { ...claims, ...request.claims }, privateKey)
  }

  /** Signs changed claims of a token again, with a header for the key. */
  async signAgain(
    token: string,
    change: (claims: Json) => Json,
    which: 'published' | 'unpublished',
  ): Promise<string> {
    const [header = {}, claims = {}] = token.split('.').slice(0, 2).map(decode)
    const key = which === 'unpublished' ? attackerKey() : this.#host.publishedKey()
    return signed({ ...header, ...keyNames(header, key.kid) }, change(claims), key.privateKey)
  }
}

const keyNames = (header: Json, kid: string): Json =>
  'x5t' in header ? { kid, x5t: kid } : { kid }

const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())

export const encoded = (part: object | string | Uint8Array): string =>
  Buffer.from(
    typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part),
  ).toString('base64url')

/** Signs a header and claims with RS256, as JSON, as text or as bytes. */
export const signed = (
  header: object | string,
  claims: object | string | Uint8Array,
  privateKey: KeyObject,
): string => {
  const content = `${encoded(header)}.${encoded(claims)}`
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}
