import type { KeyCredential } from '../../../model/application/key-credential.ts'
import type { PasswordCredential } from '../../../model/application/password-credential.ts'
import { exactTime } from '../../../model/exact-time.ts'
import { text } from './object-rows.ts'
import type { KeyCredentialRow, PasswordCredentialRow } from './tables.ts'

/** A secret as a row, or as an entry of a list in a column. */
export type StoredPassword = Omit<
  PasswordCredentialRow,
  'application_id' | 'position' | 'tenant_id'
>

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const bytes = (stored: string) => new Uint8Array(Buffer.from(stored, 'base64'))

export const passwordCredentialToRow = (credential: PasswordCredential): StoredPassword => ({
  key_id: credential.keyId,
  display_name: credential.displayName,
  hint: credential.hint,
  starts_at: text(credential.startDateTime),
  ends_at: text(credential.endDateTime),
  secret_sha256: base64(credential.secretSha256),
})

export const passwordCredentialFromRow = (row: StoredPassword): PasswordCredential => ({
  keyId: row.key_id,
  displayName: row.display_name,
  hint: row.hint,
  startDateTime: exactTime(row.starts_at),
  endDateTime: exactTime(row.ends_at),
  secretSha256: bytes(row.secret_sha256),
})

/** A certificate as a row, or as an entry of a list in a column. */
export type StoredCertificate = Omit<KeyCredentialRow, 'application_id' | 'position' | 'tenant_id'>

export const keyCredentialToRow = (credential: KeyCredential): StoredCertificate => ({
  key_id: credential.keyId,
  display_name: credential.displayName,
  starts_at: text(credential.startDateTime),
  ends_at: text(credential.endDateTime),
  certificate: base64(credential.certificate),
  sha1_thumbprint: credential.sha1Thumbprint,
  sha256_thumbprint: credential.sha256Thumbprint,
})

export const keyCredentialFromRow = (row: StoredCertificate): KeyCredential => ({
  keyId: row.key_id,
  displayName: row.display_name,
  startDateTime: exactTime(row.starts_at),
  endDateTime: exactTime(row.ends_at),
  certificate: bytes(row.certificate),
  sha1Thumbprint: row.sha1_thumbprint,
  sha256Thumbprint: row.sha256_thumbprint,
})
