import { hash } from 'node:crypto'
import type { Runtime } from './runtime.ts'

/** A client secret as the directory knows it: everything but the secret. */
export type PasswordCredential = {
  /** GUID, lower case: names the credential, and is no secret. */
  readonly keyId: string
  readonly displayName: string | null
  /** The first characters of the secret, so that people can tell several apart. */
  readonly hint: string
  readonly startDateTime: Date
  readonly endDateTime: Date
  /** SHA-256 of the secret's UTF-8 bytes: 32 bytes. */
  readonly secretSha256: Uint8Array
}

const secretBytes = 32
const hintLength = 3
const defaultLifetimeYears = 2

/** What is to be decided about a new secret; never the secret itself. */
export type NewPassword = {
  readonly displayName?: string | null
  /** Default: now. */
  readonly startDateTime?: Date
  /** Default: two years after the start. */
  readonly endDateTime?: Date
}

/**
 * Makes a client secret of 256 random bits. The secret leaves only in `secretText`, once.
 *
 * A plain hash is enough to keep it: nobody can try 2^256 values, however fast each try is.
 */
export function createPassword(
  { displayName = null, startDateTime, endDateTime }: NewPassword,
  source: Runtime,
): { readonly credential: PasswordCredential; readonly secretText: string } {
  const start = startDateTime ?? source.now()
  const end = endDateTime ?? new Date(start)
  if (endDateTime === undefined) end.setUTCFullYear(start.getUTCFullYear() + defaultLifetimeYears)
  const secretText = Buffer.from(source.randomBytes(secretBytes)).toString('base64url')
  const credential: PasswordCredential = {
    keyId: source.newGuid(),
    displayName,
    hint: secretText.slice(0, hintLength),
    startDateTime: start,
    endDateTime: end,
    secretSha256: secretSha256(secretText),
  }
  return { credential, secretText }
}

/** The form in which secrets are kept and compared. */
export const secretSha256 = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')
