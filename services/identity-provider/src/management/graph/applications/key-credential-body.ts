import { z } from 'zod'
import {
  createKeyCredential,
  type KeyCredential,
  safeKey,
} from '../../../directory/key-credential.ts'
import type { Runtime } from '../../../directory/runtime.ts'
import type { ValidationIssue } from '../../../directory/validation-issue.ts'
import { requireNoIssues } from '../../http/parse-body.ts'
import { dateTime, guid, text } from '../../http/schemas.ts'

/** An entry of `keyCredentials`, as it is sent, or as it was shown before. */
export const keyCredentialBody = z.strictObject({
  keyId: guid.optional(),
  key: z.base64('must be a certificate in base64').nullish(),
  displayName: text().nullish(),
  startDateTime: dateTime.nullish(),
  endDateTime: dateTime.nullish(),
  customKeyIdentifier: z.string().nullish(),
  type: z.literal('AsymmetricX509Cert').optional(),
  usage: z.literal('Verify').optional(),
  lastUsedDateTime: z.string().nullish(),
})

export type KeyCredentialBody = z.output<typeof keyCredentialBody>

/**
 * The credentials that a body makes of those that are there: an entry with a known `keyId` keeps
 * that credential, any other brings its certificate.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function keyCredentialsAfter(
  before: readonly KeyCredential[],
  entries: readonly KeyCredentialBody[],
  runtime: Runtime,
): KeyCredential[] {
  const knownById = new Map(before.map((credential) => [credential.keyId, credential]))
  const taken = entries.map((entry) => {
    const known = entry.keyId === undefined ? undefined : knownById.get(entry.keyId)
    return known === undefined ? newCredential(entry, runtime) : keptCredential(known, entry)
  })
  const credentials = taken.filter((one) => typeof one !== 'string')
  requireNoIssues(
    [
      ...taken.flatMap((one, index) => (typeof one === 'string' ? [issueAt(one, index)] : [])),
      ...(hasDuplicates(credentials)
        ? [issueAt('must not hold one certificate or keyId twice')]
        : []),
    ],
    undefined,
  )
  return credentials
}

function keptCredential(
  known: KeyCredential,
  { key, displayName }: KeyCredentialBody,
): KeyCredential | string {
  if (typeof key === 'string' && !Buffer.from(key, 'base64').equals(known.certificate))
    return 'must not change the certificate of a credential: add another one'
  return displayName === undefined ? known : { ...known, displayName }
}

function newCredential(entry: KeyCredentialBody, runtime: Runtime): KeyCredential | string {
  if (typeof entry.key !== 'string')
    return 'must bring a certificate in key, or name a credential of the application by its keyId'
  const made = parseCertificate(Buffer.from(entry.key, 'base64'), runtime)
  if (typeof made === 'string') return made
  const startDateTime = entry.startDateTime ?? made.startDateTime
  const endDateTime = entry.endDateTime ?? made.endDateTime
  if (startDateTime < made.startDateTime || endDateTime > made.endDateTime)
    return 'must not be valid for longer than its certificate'
  if (startDateTime >= endDateTime) return 'must end after its start'
  return {
    ...made,
    keyId: entry.keyId ?? made.keyId,
    displayName: entry.displayName ?? null,
    startDateTime,
    endDateTime,
  }
}

function parseCertificate(bytes: Uint8Array, runtime: Runtime): KeyCredential | string {
  try {
    return createKeyCredential(bytes, runtime)
  } catch (error) {
    if (error instanceof TypeError) return `must be an X.509 certificate with ${safeKey}`
    throw error
  }
}

const hasDuplicates = (credentials: readonly KeyCredential[]): boolean =>
  new Set(credentials.map(({ sha256Thumbprint }) => sha256Thumbprint)).size < credentials.length ||
  new Set(credentials.map(({ keyId }) => keyId)).size < credentials.length

const issueAt = (message: string, ...index: number[]): ValidationIssue => ({
  code: 'invalid_value',
  path: ['keyCredentials', ...index],
  message,
})
