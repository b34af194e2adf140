import { hash } from 'node:crypto'
import { exactTime, madeTime, timeText } from '../exact-time.ts'
import { complexType } from '../properties/property.ts'
import type { Runtime } from '../runtime.ts'
import { credentialMembers, lastUsedDateTime } from './credential.ts'

/** A client secret in the directory: its hash and its properties. */
export type PasswordCredential = {
  /** A GUID in lower case that names the credential. It is not secret. */
  readonly keyId: string
  readonly displayName: string | null
  /** The first characters of the secret, so that administrators can distinguish several secrets. */
  readonly hint: string
  readonly startDateTime: Date
  readonly endDateTime: Date
  /** SHA-256 of the secret in UTF-8: 32 bytes. */
  readonly secretSha256: Uint8Array
}

const secretBytes = 32
const hintLength = 3
const defaultLifetimeYears = 2

function defaultEnd(start: Date): Date {
  const text = start.toISOString()
  const year = String(Number(text.slice(0, 4)) + defaultLifetimeYears).padStart(4, '0')
  return exactTime(`${year}${text.slice(4)}`)
}

export type NewPassword = {
  /** A GUID in lower case; default: a new one. */
  readonly keyId?: string
  readonly displayName?: string | null
  /** Default: now. */
  readonly startDateTime?: Date
  /** Default: two years after the start. */
  readonly endDateTime?: Date
}

/**
 * Creates a client secret of 256 random bits. Only `secretText` contains it.
 *
 * A plain hash is enough, because an attacker cannot try 2^256 values.
 */
export function createPassword(
  { keyId, displayName = null, startDateTime, endDateTime }: NewPassword,
  source: Runtime,
): { readonly credential: PasswordCredential; readonly secretText: string } {
  const id = keyId ?? source.newGuid()
  const start = startDateTime ?? madeTime(source.now(), id)
  const end = endDateTime ?? defaultEnd(start)
  const secretText = Buffer.from(source.randomBytes(secretBytes)).toString('base64url')
  const credential: PasswordCredential = {
    keyId: id,
    displayName,
    hint: secretText.slice(0, hintLength),
    startDateTime: start,
    endDateTime: end,
    secretSha256: secretSha256(secretText),
  }
  return { credential, secretText }
}

/**
 * Creates a client secret with a value that a test has chosen. Its properties contain no part of the value.
 *
 * It may be guessed, so only a server with a lab compares its hash.
 */
export function createLabPassword(
  properties: NewPassword,
  secretText: string,
  source: Runtime,
): ReturnType<typeof createPassword> {
  const { credential } = createPassword(properties, source)
  return {
    credential: { ...credential, hint: '', secretSha256: labSecretSha256(secretText) },
    secretText,
  }
}

/** The hash with which secrets are stored and compared. */
export const secretSha256 = (secret: string): Uint8Array =>
  new Uint8Array(hash('sha256', secret, 'buffer'))

/** The hash of a chosen secret. UTF-8 has no byte 255, so no text has this value as its `secretSha256`. */
export const labSecretSha256 = (secret: string): Uint8Array =>
  new Uint8Array(hash('sha256', Buffer.concat([Uint8Array.of(255), Buffer.from(secret)]), 'buffer'))

/** The Microsoft Graph type of a secret. */
export const passwordCredentialType = complexType('passwordCredential', {
  ...credentialMembers,
  hint: { filter: 'value' },
  secretText: {},
  lastUsedDateTime,
})

/** A client secret without its value. `lastUsedDateTime` is an addition to Graph. */
export const passwordCredentialJson = (
  { keyId, displayName, hint, startDateTime, endDateTime }: PasswordCredential,
  lastUsed?: Date | undefined,
) => ({
  customKeyIdentifier: null,
  displayName,
  endDateTime: timeText(endDateTime),
  hint,
  keyId,
  secretText: null,
  startDateTime: timeText(startDateTime),
  lastUsedDateTime: lastUsed === undefined ? null : timeText(lastUsed),
})
