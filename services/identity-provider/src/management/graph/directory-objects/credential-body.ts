import {
  createKeyCredential,
  createPassword,
  formsOf,
  type KeyCredential,
  keyCredentialType,
  type NewPassword,
  type PasswordCredential,
  passwordCredentialType,
  type Runtime,
  safeKey,
  type ValidationIssue,
  verifies,
} from '@greeting/directory'
import { text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, requireNoIssues } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'

export const maxCertificates = 100

/** The schema of a `keyCredentials` entry in a request. Clients also send back entries from a response. */
export const keyCredentialBody = z.strictObject(formsOf(keyCredentialType.members))

export type KeyCredentialBody = z.output<typeof keyCredentialBody>

/**
 * The certificate credentials after a change. An entry with a known `keyId` keeps that credential.
 * Any other entry must contain its certificate.
 *
 * @param entries undefined when the body has none, so that nothing changes
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function keyCredentialsAfter(
  before: readonly KeyCredential[],
  entries: readonly KeyCredentialBody[] | undefined,
  runtime: Runtime,
): readonly KeyCredential[] {
  if (entries === undefined) return before
  const knownById = new Map(before.map((credential) => [credential.keyId, credential]))
  const results = entries.map((entry) => {
    const known = entry.keyId === undefined ? undefined : knownById.get(entry.keyId)
    return known === undefined ? newCredential(entry, runtime) : keptCredential(known, entry)
  })
  const credentials = results.filter((one) => typeof one !== 'string')
  requireNoIssues(
    [
      ...results.flatMap((one, index) => (typeof one === 'string' ? [issueAt(one, index)] : [])),
      ...(hasDuplicates(credentials)
        ? [issueAt('must not contain a certificate or keyId twice')]
        : []),
    ],
    undefined,
  )
  return credentials
}

/**
 * Returns the certificate credentials with a new one.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function withNewKey(
  before: readonly KeyCredential[],
  entry: KeyCredentialBody,
  runtime: Runtime,
): { readonly added: KeyCredential; readonly keyCredentials: readonly KeyCredential[] } {
  const added = newCredential(entry, runtime)
  if (typeof added === 'string') throw keyFault(added)
  const keyCredentials = [...before, added]
  if (hasDuplicates(keyCredentials)) throw keyFault('must not be a credential of this object')
  if (keyCredentials.length > maxCertificates)
    throw keyFault(`must not be one of more than ${maxCertificates}`)
  return { added, keyCredentials }
}

const keyFault = (fault: string) =>
  refuse('body_invalid', `Invalid value specified for property 'keyCredential': it ${fault}.`)

function keptCredential(
  known: KeyCredential,
  { key, displayName }: KeyCredentialBody,
): KeyCredential | string {
  if (typeof key === 'string' && !Buffer.from(key, 'base64').equals(known.certificate))
    return 'must not change the certificate of a credential; add another credential'
  return displayName === undefined ? known : { ...known, displayName }
}

function newCredential(entry: KeyCredentialBody, runtime: Runtime): KeyCredential | string {
  if (typeof entry.key !== 'string')
    return 'must contain a certificate in key, or the keyId of a credential of this object'
  const isSigning = entry.usage === 'Sign'
  if (isSigning !== (entry.type === 'X509CertAndPassword'))
    return 'must have the usage Sign with the type X509CertAndPassword, and no other'
  const credential = parseCertificate(Buffer.from(entry.key, 'base64'), runtime)
  if (typeof credential === 'string') return credential
  const startDateTime = entry.startDateTime ?? credential.startDateTime
  const endDateTime = entry.endDateTime ?? credential.endDateTime
  if (startDateTime < credential.startDateTime || endDateTime > credential.endDateTime)
    return 'must not be valid for longer than its certificate'
  if (startDateTime >= endDateTime) return 'must end after its start'
  return {
    ...credential,
    ...(isSigning && { certificate: new Uint8Array() }),
    keyId: entry.keyId ?? credential.keyId,
    displayName: entry.displayName ?? credential.displayName,
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
  new Set(credentials.map((one) => `${one.sha256Thumbprint} ${verifies(one)}`)).size <
    credentials.length || new Set(credentials.map(({ keyId }) => keyId)).size < credentials.length

const issueAt = (message: string, ...index: number[]): ValidationIssue => ({
  code: 'invalid_value',
  path: ['keyCredentials', ...index],
  message,
})

const newPasswordForm = z
  .strictObject(formsOf(passwordCredentialType.members))
  .pick({ displayName: true, startDateTime: true, endDateTime: true, keyId: true })

/** The schema of a password for a signing certificate, which is not stored. */
export const keyPasswordBody = newPasswordForm.extend({ secretText: text() })

const withValues = (form: z.output<typeof newPasswordForm>): NewPassword =>
  omitUndefined({
    keyId: form.keyId,
    displayName: form.displayName ?? undefined,
    startDateTime: form.startDateTime ?? undefined,
    endDateTime: form.endDateTime ?? undefined,
  })

/** The schema of a new secret in a body, which may choose its `keyId` (entra E236). */
export const addedPasswordBody = newPasswordForm.transform(withValues)

/** The schema of a new secret in a list, in which a `keyId` names an existing secret. */
export const newPasswordBody = newPasswordForm.omit({ keyId: true }).transform(withValues)

/** A new secret's credential, and its value. */
export type CreatedPassword = {
  readonly credential: PasswordCredential
  readonly secretText: string
}

/**
 * Creates the secret that a body describes.
 *
 * @throws {GraphError} graph_refusal body_invalid when it would end before its start.
 */
export function newPassword(requested: NewPassword, runtime: Runtime): CreatedPassword {
  const created = createPassword(requested, runtime)
  const { endDateTime, startDateTime } = created.credential
  // The default end of a start near the year 9999 is no time.
  if (!(endDateTime > startDateTime))
    throw refuse('body_invalid', 'The credential must end after its start.')
  return created
}
