import { timingSafeEqual } from 'node:crypto'
import { labSecretSha256, type PasswordCredential, secretSha256 } from '@greeting/directory'
import { type AuthenticationRefusal, type Refused, refuse } from '../refusals/refusal.ts'
import type { RegisteredClient } from './client.ts'
import { credentialValidity } from './credential-validity.ts'

/** The credential of every unknown client, so that the comparison takes as long as for a known one. */
const placeholderCredential: PasswordCredential = {
  keyId: '00000000-0000-0000-0000-000000000000',
  displayName: null,
  hint: '',
  startDateTime: new Date(0),
  endDateTime: new Date(0),
  secretSha256: new Uint8Array(32),
}

/**
 * Finds the credential that has a secret. It always compares all credentials, each in constant time.
 *
 * @param client undefined for an unknown client, which costs the same
 * @param acceptsLabSecrets whether the server has a lab, in which tests choose secrets
 * @returns the credential, which may be expired; undefined when none has the secret
 */
export function matchingCredential(
  client: RegisteredClient | undefined,
  secret: string,
  acceptsLabSecrets: boolean,
): PasswordCredential | undefined {
  const presented = [secretSha256(secret), ...(acceptsLabSecrets ? [labSecretSha256(secret)] : [])]
  const credentials = [
    ...(client?.application.passwordCredentials ?? []),
    ...(client?.principal?.passwordCredentials ?? []),
  ]
  let match: PasswordCredential | undefined
  for (const credential of credentials.length > 0 ? credentials : [placeholderCredential]) {
    for (const one of presented) {
      const isEqual = timingSafeEqual(one, credential.secretSha256)
      if (isEqual && credential !== placeholderCredential) match = credential
    }
  }
  return match
}

/**
 * Authenticates a client by its secret.
 *
 * @param match the result of `matchingCredential`
 * @param clockToleranceSeconds how far the clock of the server that made the secret may be ahead
 * @returns the credential, or a refusal: `secret_not_allowed`, `secret_wrong`, `secret_not_yet_valid` or
 *   `secret_expired`
 * @see RFC 6749 section 2.3.1
 */
export function authenticateBySecret(
  { application }: RegisteredClient,
  match: PasswordCredential | undefined,
  now: Date,
  clockToleranceSeconds: number,
): PasswordCredential | Refused<AuthenticationRefusal> {
  const { appId: clientId } = application
  if (!application.passwordAuthenticationAllowed)
    return refuse({ reason: 'secret_not_allowed', clientId })
  // Only a client that knows the secret learns its times.
  if (match === undefined) return refuse({ reason: 'secret_wrong', clientId })
  const validity = credentialValidity(match, now, clockToleranceSeconds)
  if (validity === 'valid') return match
  return validity === 'expired'
    ? refuse({ reason: 'secret_expired', clientId })
    : refuse({ reason: 'secret_not_yet_valid', clientId, now, validFrom: match.startDateTime })
}
