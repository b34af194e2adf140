import type { RegistrationsFile } from '../registrations-file.ts'
import type { CertificateToAdd, Change } from './change.ts'
import { fileIndex } from './file-index.ts'
import type { Located } from './locate.ts'
import { onOneLine } from './one-line.ts'
import { isSameCertificate } from './plan-certificates.ts'
import { day } from './plan-secrets.ts'

/**
 * An application that was found only by a name. Anyone who may create applications can choose names
 * and all other properties, so only the ID identifies an application.
 */
export type Adoption = {
  /** Its name in the file. */
  readonly application: string
  readonly applicationId: string
  readonly foundBy: 'name' | 'identifier URI'
  readonly createdDateTime: Date | undefined
  /** Number of valid credentials. A secret counts even if the file has one of the same name. */
  readonly secrets: number
  readonly certificates: number
  readonly federatedCredentials: number
}

export type AdoptionOptions = {
  readonly now: Date
  /** Application IDs that are confirmed. */
  readonly confirmed: ReadonlySet<string>
  /** The certificates of the file, by path. */
  readonly certificates: ReadonlyMap<string, CertificateToAdd>
}

/** The applications of a file that were found only by a name, each once. */
export function adoptionsOf(
  file: RegistrationsFile,
  located: readonly Located[],
  { now, confirmed, certificates }: AdoptionOptions,
): Adoption[] {
  const seen = new Set<string>()
  return located.flatMap(({ name, application, foundBy = 'name' }): Adoption[] => {
    if (seen.has(name)) return []
    seen.add(name)
    if (application === undefined || foundBy === 'id') return []
    if (confirmed.has(application.appId)) return []
    const entry = fileIndex(file).client(name)
    const own = (entry?.certificates ?? []).flatMap(({ path }) => certificates.get(path) ?? [])
    const isLive = ({ endDateTime }: { readonly endDateTime: Date }) => endDateTime > now
    return [
      {
        application: name,
        applicationId: application.appId,
        foundBy,
        createdDateTime: application.createdDateTime ?? undefined,
        secrets: application.passwordCredentials.filter(isLive).length,
        certificates: application.keyCredentials.filter(
          (one) => isLive(one) && !own.some((certificate) => isSameCertificate(certificate, one)),
        ).length,
        federatedCredentials: application.federatedIdentityCredentials.length,
      },
    ]
  })
}

export const hasCredentials = ({ secrets, certificates, federatedCredentials }: Adoption) =>
  secrets + certificates + federatedCredentials > 0

/**
 * The reason for refusing admin consent: the creator of the application may have a credential for
 * it.
 */
export function refusedConsents(
  changes: readonly Change[],
  adoptions: readonly Adoption[],
): string[] {
  const granted = new Set(
    changes.flatMap((change) =>
      change.kind === 'grantConsent' ? [change.application, change.api] : [],
    ),
  )
  return adoptions
    .filter((one) => hasCredentials(one) && granted.has(one.application))
    .map(
      (one) =>
        `Admin consent for "${one.application}" is refused: application ${one.applicationId} was found by its ${one.foundBy} only. It ${history(one)}. Remove them, or add "applicationId": "${one.applicationId}" to its entry if this is your application.`,
    )
}

/** The names of the applications that a change changes, or whose role it grants. */
export const namesIn = (change: Change): string[] =>
  change.kind === 'grantConsent' ? [change.application, change.api] : [change.application]

/** The line of an adoption in a diff. */
export const adoptionLine = (one: Adoption): string =>
  onOneLine(
    `! ~ application "${one.application}" (${one.applicationId}), found by its ${one.foundBy} only: ${history(one)}`,
  )

function history(one: Adoption): string {
  const since = one.createdDateTime ? ` since ${day(one.createdDateTime)}` : ''
  if (!hasCredentials(one)) return `exists${since}, with no credentials`
  const { secrets, certificates, federatedCredentials } = one
  const counts = `${count(secrets, 'secret')}, ${count(certificates, 'certificate')} and ${count(federatedCredentials, 'federated credential')}`
  return `exists${since}, with ${counts} of unknown origin`
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
