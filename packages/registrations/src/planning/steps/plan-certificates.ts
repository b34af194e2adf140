import type { KeyCredential } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import type { CertificateToAdd, Change } from './change.ts'

/**
 * Step 6, certificates: compares the list of the file with that of the directory, by thumbprint.
 */
export function planCertificates(client: Located, wanted: readonly CertificateToAdd[]): Change[] {
  const present = client.application?.keyCredentials ?? []
  const added = wanted.filter((one) => !present.some((other) => isSameCertificate(one, other)))
  const kept = present.filter((one) => wanted.some((other) => isSameCertificate(other, one)))
  const removed = present.filter((one) => !kept.includes(one))
  if (added.length === 0 && removed.length === 0) return []
  return [
    {
      kind: 'setCertificates',
      step: 'Client secret',
      application: client.name,
      destructive: removed.length > 0,
      added,
      removed: removed.map(({ displayName, keyId }) => ({
        displayName: displayName ?? keyId,
        keyId,
      })),
      keptKeyIds: kept.map(({ keyId }) => keyId),
    },
  ]
}

/** Whether a key of the directory is the certificate of a file, by thumbprint. */
function isSameCertificate(
  wanted: CertificateToAdd,
  { customKeyIdentifier }: KeyCredential,
): boolean {
  if (!customKeyIdentifier) return false
  // Microsoft Graph returns the thumbprint as base64. An uploader may have sent hexadecimal digits.
  return [customKeyIdentifier.toLowerCase(), hexOf(customKeyIdentifier)].includes(
    wanted.sha1Thumbprint.toLowerCase(),
  )
}

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
