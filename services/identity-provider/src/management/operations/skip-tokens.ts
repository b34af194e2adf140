import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const macBytes = 16
const minKeyBytes = 32

/**
 * Creates and opens `$skiptoken`s. Each contains the last key of a page, and belongs to one query.
 *
 * A MAC protects the token, so clients cannot create their own. The server can therefore trust the
 * content, and change its form with each version.
 */
export class SkipTokens {
  readonly #key: Uint8Array

  /**
   * @param key at least 32 bytes, the same for all replicas; default: random bytes, for one process
   * @throws {TypeError} when the key is shorter.
   */
  constructor(key: Uint8Array = randomBytes(minKeyBytes)) {
    if (key.length < minKeyBytes)
      throw new TypeError(`The key of skip tokens must have at least ${minKeyBytes} bytes`)
    this.#key = key
  }

  /** A token for the page that starts after the object with this key. */
  seal(query: string, after: string): string {
    return Buffer.concat([this.#mac(query, after), Buffer.from(after)]).toString('base64url')
  }

  /** The key in a token; undefined when the token was not created here for this query. */
  open(query: string, token: string): string | undefined {
    const bytes = Buffer.from(token, 'base64url')
    if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return undefined
    const after = bytes.subarray(macBytes).toString()
    return timingSafeEqual(bytes.subarray(0, macBytes), this.#mac(query, after)) ? after : undefined
  }

  #mac(query: string, after: string): Buffer {
    const text = JSON.stringify([query, after])
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, macBytes)
  }
}
