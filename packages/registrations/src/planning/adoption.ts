import { countCredentials, inWords } from '../directory/credentials.ts'
import type { Owner } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import { day, onOneLine } from '../directory/text.ts'
import type { Change } from './steps/change.ts'

/**
 * An application that was found only by a name. A caller that may create applications chooses names and
 * all other properties, so only the ID identifies an application.
 */
export type Adoption = {
  /** Its name in the file. */
  readonly application: string
  readonly applicationId: string
  readonly foundBy: 'name' | 'identifier URI'
  readonly createdDateTime: Date | undefined
  /**
   * Numbers of credentials, also of those that have ended: the clock that decides is that of the
   * directory. One counts even if the file describes it, because its creator chooses how it looks.
   */
  readonly secrets: number
  readonly certificates: number
  readonly federatedCredentials: number
  /** The same in words, by their holder. Those of the service principal authenticate as well. */
  readonly ofApplication?: string | undefined
  readonly ofServicePrincipal?: string | undefined
  /** The owners of the application and of its service principal, without the administrator. */
  readonly owners: readonly Owner[]
}

type AdoptionOptions = {
  /** Application IDs that are confirmed. */
  readonly confirmed: ReadonlySet<string>
  /** The application ID of the administrator, which may own what it has registered. */
  readonly administrator?: string | undefined
}

/** The applications of a file that were found only by name, each once. */
export function adoptionsOf(
  located: readonly Located[],
  { confirmed, administrator }: AdoptionOptions,
): Adoption[] {
  const seen = new Set<string>()
  return located.flatMap(
    ({ name, application, servicePrincipal, foundBy = 'name' }): Adoption[] => {
      if (seen.has(name)) return []
      seen.add(name)
      if (application === undefined || foundBy === 'id') return []
      if (confirmed.has(application.appId)) return []
      const { passwordCredentials = [], keyCredentials = [] } = servicePrincipal ?? {}
      const owners = [...(application.owners ?? []), ...(servicePrincipal?.owners ?? [])].filter(
        ({ appId }) => !appId || appId !== administrator?.toLowerCase(),
      )
      return [
        {
          application: name,
          applicationId: application.appId,
          foundBy,
          createdDateTime: application.createdDateTime ?? undefined,
          secrets: application.passwordCredentials.length + passwordCredentials.length,
          certificates: application.keyCredentials.length + keyCredentials.length,
          federatedCredentials: application.federatedIdentityCredentials.length,
          ofApplication: countCredentials(application),
          ofServicePrincipal: servicePrincipal && countCredentials(servicePrincipal),
          owners: [...new Map(owners.map((one) => [one.id, one])).values()],
        },
      ]
    },
  )
}

/** True if another person may have or add a credential of the application. */
export const isHeldByOthers = ({ secrets, certificates, federatedCredentials, owners }: Adoption) =>
  secrets + certificates + federatedCredentials + owners.length > 0

/** Refuses admin consent for an application that another person may use. */
export function refusedConsents(
  changes: readonly Change[],
  adoptions: readonly Adoption[],
  clients: readonly Located[],
): string[] {
  // A person who can authenticate a blueprint has the roles of all its agents.
  const blueprints = new Map(clients.map(({ name, blueprint }) => [name, blueprint]))
  const granted = new Set(
    changes.flatMap((change) =>
      change.kind === 'grantConsent' || change.kind === 'setInheritance'
        ? [change.application, blueprints.get(change.application), change.api]
        : [],
    ),
  )
  return adoptions
    .filter((one) => isHeldByOthers(one) && granted.has(one.application))
    .map(
      (one) =>
        `Admin consent for "${one.application}" is refused: application ${one.applicationId} was found by its ${one.foundBy} only. It ${history(one)}. Remove them, or add "applicationId": "${one.applicationId}" to its entry if this is your application.`,
    )
}

/** The names of the applications that a change alters, or whose role it grants. */
export const namesIn = (change: Change): string[] => [
  change.application,
  ...('api' in change ? [change.api] : []),
  ...('blueprint' in change ? [change.blueprint] : []),
]

export const adoptionLine = (one: Adoption): string =>
  onOneLine(
    `! ~ application "${one.application}" (${one.applicationId}), found by its ${one.foundBy} only: ${history(one)}`,
  )

function history(one: Adoption): string {
  const since = one.createdDateTime ? ` since ${day(one.createdDateTime)}` : ''
  if (!isHeldByOthers(one)) return `exists${since}, with no credentials and no other owner`
  const { ofApplication, ofServicePrincipal } = one
  const held = inWords(
    [ofApplication, ofServicePrincipal && `${ofServicePrincipal} of its service principal`].flatMap(
      (counts) => counts ?? [],
    ),
  )
  const owners = one.owners.slice(0, maxNamedOwners).map(ownerName)
  const others = one.owners.length - owners.length
  const owned = inWords([...owners, ...(others > 0 ? [`${others} more`] : [])])
  const credentials = held === '' ? 'no credentials' : `${held} of unknown origin`
  return `exists${since}, with ${credentials}${owned && `, owned by ${owned}`}`
}

const maxNamedOwners = 5

const ownerName = ({ displayName, appId, id }: Owner) =>
  displayName ? `"${displayName}" (${appId ?? id})` : (appId ?? id)
