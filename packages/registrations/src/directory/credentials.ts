import type { KeyCredential, PasswordCredential } from './directory-state.ts'
import type { Located } from './locate.ts'

// The directory dates a new credential by its own clock, which can be ahead of the local one.
const clockToleranceMs = 300_000

/** A secret or certificate of an application, or of its service principal. */
export type HeldCredential = {
  readonly kind: 'secret' | 'certificate'
  readonly startDateTime: Date
  readonly endDateTime: Date
}

/** The secrets and certificates that authenticate an application: its own, and those of its service principal. */
export function credentialsOf({ application, servicePrincipal }: Holders): HeldCredential[] {
  const holders = [application, servicePrincipal]
  const as = (kind: HeldCredential['kind']) => (one: PasswordCredential | KeyCredential) => ({
    kind,
    startDateTime: one.startDateTime,
    endDateTime: one.endDateTime,
  })
  return [
    ...holders.flatMap((one) => one?.passwordCredentials ?? []).map(as('secret')),
    ...holders.flatMap((one) => one?.keyCredentials ?? []).map(as('certificate')),
  ]
}

export const validCredentials = (holders: Holders, now: Date): HeldCredential[] =>
  credentialsOf(holders).filter(
    ({ startDateTime, endDateTime }) =>
      +startDateTime <= +now + clockToleranceMs && endDateTime > now,
  )

type CredentialLists = {
  readonly passwordCredentials?: readonly unknown[] | undefined
  readonly keyCredentials?: readonly unknown[] | undefined
  readonly federatedIdentityCredentials?: readonly unknown[] | undefined
}

/** The number of an object's credentials of each kind, in words; undefined if it has none. */
export function countCredentials({
  passwordCredentials: secrets = [],
  keyCredentials: certificates = [],
  federatedIdentityCredentials: federated = [],
}: CredentialLists): string | undefined {
  const counts = [
    count(secrets.length, 'secret'),
    count(certificates.length, 'certificate'),
    count(federated.length, 'federated credential'),
  ].flat()
  return counts.length === 0 ? undefined : inWords(counts)
}

const count = (number: number, noun: string): string[] =>
  number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`]

/** Joins items in words: `a, b and c`. */
export const inWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

type Holders = Pick<Located, 'application' | 'servicePrincipal'>
