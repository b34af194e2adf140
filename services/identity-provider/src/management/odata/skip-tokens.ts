import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const macBytes = 16
const minKeyBytes = 32

/**
 * Makes and opens `$skiptoken`s: where a list goes on, bound to the query that it belongs to.
 *
 * They are sealed so that nobody can make one up: what a server finds in a token of its own it may
 * believe, and the form of it may change with every version.
 */
export class SkipTokens {
  readonly #key: Uint8Array

  /**
   * @param key At least 32 bytes, the same for all replicas; default: random, for one process.
   * @throws {TypeError} when the key is shorter.
   */
  constructor(key: Uint8Array = randomBytes(minKeyBytes)) {
    if (key.length < minKeyBytes)
      throw new TypeError(`The key of skip tokens needs ${minKeyBytes} bytes.`)
    this.#key = key
  }

  /** A token after which a list goes on behind the object with this key. */
  seal(query: string, after: string): string {
    return Buffer.concat([this.#mac(query, after), Buffer.from(after)]).toString('base64url')
  }

  /** What was sealed, or undefined when it was not sealed here for this query. */
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
