import type { KeyCredential } from '../../../directory/application/key-credential.ts'
import type { PasswordCredential } from '../../../directory/application/password-credential.ts'
import type { MemberObjects } from '../../odata/entity-set.ts'

const credentialMembers = {
  keyId: 'value',
  displayName: 'value',
  startDateTime: 'time',
  endDateTime: 'time',
  customKeyIdentifier: 'value',
  lastUsedDateTime: 'unsupported',
} as const

export const passwordCredentials: MemberObjects = {
  type: 'passwordCredential',
  members: { ...credentialMembers, hint: 'value', secretText: 'unsupported' },
}

export const keyCredentials: MemberObjects = {
  type: 'keyCredential',
  members: { ...credentialMembers, key: 'unsupported', type: 'value', usage: 'value' },
}

/** A client secret without its text. `lastUsedDateTime` is an addition to Graph. */
export const passwordCredentialJson = (
  { keyId, displayName, hint, startDateTime, endDateTime }: PasswordCredential,
  lastUsed: Date | undefined,
) => ({
  customKeyIdentifier: null,
  displayName,
  endDateTime: endDateTime.toISOString(),
  hint,
  keyId,
  secretText: null,
  startDateTime: startDateTime.toISOString(),
  lastUsedDateTime: lastUsed?.toISOString() ?? null,
})

/** A certificate credential, with its thumbprint in hexadecimal. The long `key` is included only on request. */
export const keyCredentialJson = (
  { keyId, displayName, startDateTime, endDateTime, certificate, sha1Thumbprint }: KeyCredential,
  lastUsed: Date | undefined,
  withKey: boolean,
) => ({
  customKeyIdentifier: Buffer.from(sha1Thumbprint, 'base64url').toString('hex').toUpperCase(),
  displayName,
  endDateTime: endDateTime.toISOString(),
  key: withKey ? Buffer.from(certificate).toString('base64') : null,
  keyId,
  startDateTime: startDateTime.toISOString(),
  type: 'AsymmetricX509Cert',
  usage: 'Verify',
  lastUsedDateTime: lastUsed?.toISOString() ?? null,
})
