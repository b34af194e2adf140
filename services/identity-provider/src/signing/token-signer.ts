import { type KeyObject, sign } from 'node:crypto'
import type { SigningKey } from '@greeting/directory/keys'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'
import { openPrivateKey, thumbprintOf } from './signing-key.ts'

/** Creates the header members that identify the key, such as `kid`. */
export type KeyMembers = (kid: string) => object

/**
 * Signs tokens with one key in memory.
 *
 * @see RFC 7515 section 3.1 (compact form), RFC 7518 section 3.3 (RS256)
 */
export class TokenSigner {
  readonly #privateKey: KeyObject
  readonly #kid: string

  /**
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when the private key cannot
   * be decrypted, or the `kid` belongs to another certificate
   */
  constructor(signingKey: SigningKey, key: KeyEncryptionKey) {
    const { kid, certificate } = signingKey
    this.#privateKey = openPrivateKey(signingKey, key)
    // The seal binds the private key to the kid. The thumbprint binds the certificate.
    if (thumbprintOf(Buffer.from(certificate, 'base64')) !== kid)
      throw new SigningError(
        'sealed_key_corrupt',
        `The stored signing key ${kid} has the certificate of another key. Restore the store from a backup. Nothing was changed.`,
      )
    this.#kid = kid
  }

  /** Signs claims. Returns a token in compact form. */
  sign(claims: object, keyMembers: KeyMembers): Promise<string> {
    const header = { typ: 'JWT', alg: 'RS256', ...keyMembers(this.#kid) }
    const content = `${encodeJson(header)}.${encodeClaims(claims)}`
    // The asynchronous form signs in the thread pool and uses every core. On two cores it makes 1.9
    // times as many signatures as the synchronous form, on one core as many.
    return new Promise((resolve, reject) => {
      sign('sha256', Buffer.from(content, 'latin1'), this.#privateKey, (cause, signature) => {
        if (cause) reject(cause)
        else resolve(`${content}.${signature.toString('base64url')}`)
      })
    })
  }
}

/** The JSON text of a list, cut where groups of three bytes begin and end. */
type EncodedList = {
  /** The first 0 to 2 bytes of the list. They complete a group of three that begins in the text before it. */
  readonly first: Buffer
  readonly groups: string
  readonly last: Buffer
}

/** Frozen lists in their latest place. Each is serialized once, until its place in the groups changes. */
const encodedLists = new WeakMap<readonly unknown[], EncodedList>()

/** The JSON of a value as base64url. */
const encodeJson = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Encodes the JSON of claims in base64url.
 *
 * The first frozen list is serialized and encoded only once. It contains strings only, so that
 * nothing in it can change.
 */
export function encodeClaims(claims: object): string {
  const index = Object.values(claims).findIndex(isFrozenList)
  const [name, list] = index < 0 ? [] : (Object.entries(claims)[index] ?? [])
  if (name === undefined) return encodeJson(claims)
  // Quotation marks in a text are escaped, so only the member itself has this form.
  const member = `${JSON.stringify(name)}:`
  const text = JSON.stringify({ ...claims, [name]: [] })
  const start = text.indexOf(`${member}[]`) + member.length
  const before = Buffer.from(text.slice(0, start))
  const { first, groups, last } = encodedList(list, (3 - (before.length % 3)) % 3)
  const head = Buffer.concat([before, first]).toString('base64url')
  const tail = Buffer.concat([last, Buffer.from(text.slice(start + '[]'.length))])
  return `${head}${groups}${tail.toString('base64url')}`
}

const isFrozenList = (value: unknown) => Array.isArray(value) && Object.isFrozen(value)

function encodedList(list: readonly string[], firstLength: number): EncodedList {
  const known = encodedLists.get(list)
  if (known?.first.length === firstLength) return known
  const text = Buffer.from(JSON.stringify(list))
  const end = text.length - ((text.length - firstLength) % 3)
  const encoded = {
    first: text.subarray(0, firstLength),
    groups: text.toString('base64url', firstLength, end),
    last: text.subarray(end),
  }
  encodedLists.set(list, encoded)
  return encoded
}
