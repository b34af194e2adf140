import type { KeyCredential } from '../../../directory/application/key-credential.ts'
import { text } from './object-rows.ts'
import { base64, bytes } from './password-credential-row.ts'
import type { KeyCredentialRow } from './tables.ts'

/** A certificate as a row, or as one entry of a list in a column. */
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
  startDateTime: new Date(row.starts_at),
  endDateTime: new Date(row.ends_at),
  certificate: bytes(row.certificate),
  sha1Thumbprint: row.sha1_thumbprint,
  sha256Thumbprint: row.sha256_thumbprint,
})
