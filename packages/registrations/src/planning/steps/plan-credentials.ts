import type {
  FederatedIdentityCredential,
  KeyCredential,
  PasswordCredential,
} from '../../directory/directory-state.ts'
import type { Located } from '../../directory/locate.ts'
import { day } from '../../directory/text.ts'
import type { FederatedEntry, SecretEntry } from '../../registrations-file.ts'
import type { CertificateToAdd, Change } from './change.ts'

const dayMs = 86_400_000

type SecretOptions = {
  readonly now: Date
  /** Whether new secrets are requested before they are due. */
  readonly rotate: boolean
  /** Key IDs of secrets whose texts are lost. */
  readonly lost?: ReadonlySet<string> | undefined
  /** Names of the APIs of which the client requests permissions. */
  readonly apis: readonly string[]
}

/** Step 6, secrets: creates missing secrets, rotates due ones, and removes secrets that the file does not name. */
export function planSecrets(
  client: Located,
  wanted: readonly SecretEntry[],
  { now, rotate, lost, apis }: SecretOptions,
): Change[] {
  const about = { step: 'Client secret', application: client.name } as const
  const present = client.application?.passwordCredentials ?? []
  const isListed = ({ displayName }: PasswordCredential) =>
    wanted.some((entry) => entry.displayName === displayName)
  return [
    ...wanted.flatMap(({ displayName: secret, lifetimeDays, overlapDays }): Change[] => {
      const same = present.filter((one) => one.displayName === secret && !lost?.has(one.keyId))
      const latest = same.toSorted((a, b) => +b.endDateTime - +a.endDateTime)[0]
      const details = { ...about, secret, lifetimeDays, apis }
      if (latest === undefined) return [{ kind: 'createSecret', destructive: false, ...details }]
      const leftDays = (+latest.endDateTime - +now) / dayMs
      if (leftDays <= 0) {
        const reason = `the last credential expired on ${day(latest.endDateTime)}`
        return [{ kind: 'createSecret', destructive: false, ...details, reason }]
      }
      if (rotate)
        return [{ kind: 'rotateSecret', destructive: true, ...details, reason: 'requested' }]
      if (leftDays > overlapDays) return []
      const reason = `the current one ends on ${day(latest.endDateTime)}`
      return [{ kind: 'rotateSecret', destructive: true, ...details, reason }]
    }),
    ...present.flatMap((credential): Change[] => {
      const hasEnded = credential.endDateTime <= now
      const isLost = lost?.has(credential.keyId)
      if (isListed(credential) && !hasEnded && !isLost) return []
      const unlisted = isLost ? 'its text is lost' : 'not in the file'
      return [
        {
          kind: 'removeSecret',
          ...about,
          destructive: !hasEnded && !isLost,
          secret: credential.displayName ?? 'without a name',
          keyId: credential.keyId,
          hint: credential.hint ?? '',
          endDateTime: credential.endDateTime,
          reason: hasEnded ? `ended on ${day(credential.endDateTime)}` : unlisted,
        },
      ]
    }),
  ]
}

/** Step 6, certificates: compares the certificates in the file and in the directory by thumbprint. */
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

/** Step 6, federated credentials: replaces a credential that differs from the file. */
export function planFederated(client: Located, wanted: readonly FederatedEntry[]): Change[] {
  const present = client.application?.federatedIdentityCredentials ?? []
  const isSame = (one: FederatedIdentityCredential, other: FederatedEntry) =>
    one.name === other.displayName &&
    one.issuer === other.issuer &&
    one.subject === other.subject &&
    one.audiences?.join() === other.audience
  const added = wanted.filter((one) => !present.some((other) => isSame(other, one)))
  const removed = present.filter((one) => !wanted.some((other) => isSame(one, other)))
  if (added.length === 0 && removed.length === 0) return []
  const about = { step: 'Client secret', application: client.name } as const
  const destructive = removed.length > 0
  return [{ kind: 'setFederatedCredentials', ...about, destructive, added, removed }]
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
