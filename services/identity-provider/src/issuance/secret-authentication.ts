import { timingSafeEqual } from 'node:crypto'
import { type PasswordCredential, secretSha256 } from '../directory/password-credential.ts'
import type { Client } from './client.ts'
import { hasStarted } from './credential-start.ts'
import { refuse } from './refusal.ts'

/** What every unknown client is compared with, so that it takes as long as a known one. */
const nobodysSecret: PasswordCredential = {
  keyId: '00000000-0000-0000-0000-000000000000',
  displayName: null,
  hint: '',
  startDateTime: new Date(0),
  endDateTime: new Date(0),
  secretSha256: new Uint8Array(32),
}

/**
 * Finds the credential that a secret is of. Every credential is compared, whichever matches, and in
 * constant time.
 *
 * @param client Undefined for a client that nobody knows: the same work is done for it.
 * @returns The credential, undefined when there is none; it may be out of its time.
 */
export function credentialOf(
  client: Client | undefined,
  secret: string,
): PasswordCredential | undefined {
  const given = secretSha256(secret)
  const known = client?.application.passwordCredentials ?? []
  let found: PasswordCredential | undefined
  for (const credential of known.length > 0 ? known : [nobodysSecret]) {
    const isEqual = timingSafeEqual(given, credential.secretSha256)
    if (isEqual && credential !== nobodysSecret) found = credential
  }
  return found
}

/**
 * Authenticates a client by its secret.
 *
 * @param found What `credentialOf` found for it.
 * @param clockToleranceSeconds How far the clock of the server that made the secret may be ahead.
 * @throws {RefusedError} secret_not_allowed, secret_wrong, secret_expired
 * @see RFC 6749 §2.3.1
 */
export function judgeSecret(
  { application }: Client,
  found: PasswordCredential | undefined,
  now: Date,
  clockToleranceSeconds: number,
): PasswordCredential {
  const { appId: clientId } = application
  if (!application.passwordAuthenticationAllowed) refuse({ reason: 'secret_not_allowed', clientId })
  // A secret whose time has not come is told from a wrong one by nobody.
  if (found === undefined || !hasStarted(found, now, clockToleranceSeconds))
    return refuse({ reason: 'secret_wrong', clientId })
  if (now >= found.endDateTime) refuse({ reason: 'secret_expired', clientId })
  return found
}
