// Folder: A plan is a pure comparison of file and directory: no network, no clock, no terminal.

import type { CallerEntry } from '../callers.ts'
import { directoryIndex } from '../directory/directory-index.ts'
import type { DirectoryState } from '../directory/directory-state.ts'
import {
  type Located,
  locate,
  locateAgent,
  locateClient,
  locateResource,
  rolesOf,
} from '../directory/locate.ts'
import { registrationSteps } from '../explaining/explanation.ts'
import type { RegistrationsFile } from '../registrations-file.ts'
import { type Adoption, adoptionsOf, namesIn, refusedConsents } from './adoption.ts'
import {
  consequencesOfFile,
  consequencesOfLeaving,
  consequencesOfOtherCredentials,
  consequencesOfSize,
  consequencesOfTime,
} from './consequences.ts'
import type { CertificateToAdd, Change } from './steps/change.ts'
import { fileIndex, type KnownApis, knownApi, knownApis } from './steps/known-apis.ts'
import { planAgents, planInheritance } from './steps/plan-agents.ts'
import { planAppRoles, wantedRoles } from './steps/plan-app-roles.ts'
import { planConsents, wantedConsents } from './steps/plan-consents.ts'
import { planCertificates, planFederated, planSecrets } from './steps/plan-credentials.ts'
import { planPermissions } from './steps/plan-permissions.ts'
import { planRegistration, wantedIdentifierUris } from './steps/plan-registration.ts'

export type PlanInput = {
  readonly file: RegistrationsFile
  readonly state: DirectoryState
  readonly now: Date
  /** The certificates of the file, by path. */
  readonly certificates?: ReadonlyMap<string, CertificateToAdd>
  /** Key IDs of secrets whose texts a killed run lost. */
  readonly lost?: ReadonlySet<string>
  /** Names of clients whose secrets are rotated now. */
  readonly rotate?: ReadonlySet<string>
  /** Confirmed application IDs of applications that the file identifies by name only. */
  readonly confirmed?: ReadonlySet<string>
  /** The application ID of the administrator. Its ownership of an application raises no doubt. */
  readonly administrator?: string | undefined
  /** Whether the IDs of all applications will be written into the file. */
  readonly writesIds?: boolean
}

/** The changes that make the directory match the file. */
export type Plan = {
  /** In the order of execution. */
  readonly changes: readonly Change[]
  /** Applications found only by a name. Each needs the confirmation of a person. */
  readonly adoptions: readonly Adoption[]
  /** Reasons why there is no plan. With at least one, nothing is changed. */
  readonly faults: readonly string[]
  /** The effects on clients without the changes. */
  readonly ifLeft: readonly string[]
  /** The access that clients lack after the changes. */
  readonly ifApplied: readonly string[]
  /** The located applications of the file, for the execution of the changes. */
  readonly located: readonly Located[]
}

/**
 * Compares a registrations file with a directory. Pure: it sends no request and changes nothing.
 *
 * @example
 * const { changes } = planRegistrations({ file, state, now: new Date() })
 * changes.map(({ step, kind }) => `${step}: ${kind}`)
 */
export function planRegistrations(input: PlanInput): Plan {
  const {
    file,
    state,
    now,
    certificates = new Map<string, CertificateToAdd>(),
    rotate = new Set(),
    confirmed = new Set(),
    writesIds = false,
    administrator,
  } = input
  const apis = apisOf(file, state)
  const entries = fileIndex(file)
  const { callers } = entries
  const clients = locateCallers(callers, apis, state)
  const children = Map.groupBy(clients, ({ blueprint }) => blueprint)
  const gone = file.removed.map((name) => locateRemoved(state, name))
  const declared = apis.all.flatMap(({ name, located }) => (entries.api(name) ? located : []))
  const located = [...apis.all.map((api) => api.located), ...clients, ...gone]
  const ifLeft = consequencesOfLeaving(file, clients, apis, state, now)
  const faults = [
    ...new Set([...located.flatMap(({ fault }) => fault ?? []), ...unknown(file, apis)]),
  ]
  if (faults.length > 0)
    return { changes: [], adoptions: [], faults, ifLeft, ifApplied: [], located }

  const changes = [
    ...file.apis.flatMap((entry): Change[] => {
      const api = apis.named(entry.displayName)
      if (api === undefined) return []
      const identifierUris = [...wantedIdentifierUris(entry, api.located)]
      return [
        ...planRegistration('API registration', api.located, { ...entry, identifierUris }),
        ...planAppRoles(api.located, wantedRoles(entry, api.located, state.tenantId)),
      ]
    }),
    ...callers.flatMap((entry, index): Change[] => {
      const client = clients[index] ?? { name: entry.displayName }
      const isRegistered = entry.kind === 'agent' || entries.api(entry.displayName) !== undefined
      const { permissions, secrets, certificates: listed } = entry
      const known = (client.application?.sponsors ?? []).map(({ id }) => id)
      const { agents, federatedCredentials, inherit, sponsors = known } = entry
      const registration = entry.kind === 'blueprint' ? { sponsors } : {}
      return [
        ...(isRegistered ? [] : planRegistration('Client registration', client, registration)),
        ...(agents ? planAgents(client, sponsors, children.get(client.name) ?? [], state) : []),
        ...(permissions && entry.kind !== 'agent'
          ? planPermissions(client, permissions, apis)
          : []),
        ...(inherit ? planInheritance(client, inherit, apis) : []),
        ...(file.consents
          ? planConsents(client, wantedConsents(file, client.name, apis), apis, state)
          : []),
        ...(secrets
          ? planSecrets(client, secrets, {
              now,
              rotate: rotate.has(client.name),
              lost: input.lost,
              apis: (permissions ?? []).map(({ api }) => api),
            })
          : []),
        ...(listed
          ? planCertificates(
              client,
              listed.flatMap(({ path }) => certificates.get(path) ?? []),
            )
          : []),
        ...(federatedCredentials ? planFederated(client, federatedCredentials) : []),
      ]
    }),
    ...gone.flatMap(removal),
  ]
  const ifApplied = [
    ...consequencesOfFile(file),
    ...consequencesOfOtherCredentials(file, clients),
    ...consequencesOfSize(file, clients, apis, state),
    ...consequencesOfTime(file, certificates, now),
  ]
  const foundByName = adoptionsOf([...declared, ...clients], { confirmed, administrator })
  const refused = [...refusedConsents(changes, foundByName, clients), ...withoutSponsors(changes)]
  if (refused.length > 0)
    return { changes: [], adoptions: [], faults: refused, ifLeft, ifApplied: [], located }
  const changed = new Set(changes.flatMap(namesIn))
  const adoptions = foundByName.filter((one) => writesIds || changed.has(one.application))
  return { changes: inOrder(changes), adoptions, faults, ifLeft, ifApplied, located }
}

/** The applications of clients and blueprints, and the agents. A blueprint comes before its agents. */
function locateCallers(
  callers: readonly CallerEntry[],
  apis: KnownApis,
  state: DirectoryState,
): Located[] {
  const byName = new Map<string, Located>()
  return callers.map((entry) => {
    const blueprint = byName.get(entry.blueprint ?? '')
    const isApi = entry.kind === 'client' ? apis.named(entry.displayName)?.located : undefined
    const located = blueprint
      ? locateAgent(state, entry, blueprint)
      : (isApi ?? locateClient(state, entry))
    byName.set(entry.displayName, located)
    return located
  })
}

/** The APIs that the file declares, then those of the directory to which it refers. */
function apisOf(file: RegistrationsFile, state: DirectoryState): KnownApis {
  const declared = file.apis.map((entry) => {
    const located = locate(state, entry)
    return knownApi(located, wantedRoles(entry, located, state.tenantId))
  })
  const spokenOf = [
    ...fileIndex(file).callers.flatMap(({ permissions = [], inherit = [] }) => [
      ...permissions.map(({ api }) => api),
      ...inherit,
    ]),
    ...(file.consents ?? []).map(({ api }) => api),
  ]
  const others = [...new Set(spokenOf)]
    .filter((name) => fileIndex(file).api(name) === undefined)
    .map((name) => locateResource(state, name))
    .map((located) => knownApi(located, rolesOf(located)))
  return knownApis([...declared, ...others])
}

/** APIs and roles that neither the file nor the directory has. */
function unknown(file: RegistrationsFile, apis: KnownApis): string[] {
  const demands = [
    ...fileIndex(file).callers.flatMap(({ permissions = [], inherit = [] }) => [
      ...permissions,
      ...inherit.map((api) => ({ api, roles: [] })),
    ]),
    ...(file.consents ?? []).map(({ api, roles = [] }) => ({ api, roles })),
  ]
  return demands.flatMap(({ api: name, roles }): string[] => {
    const api = apis.named(name)
    const isDeclared = fileIndex(file).api(name) !== undefined
    if (api === undefined || !(isDeclared || api.isInDirectory || api.located.fault))
      return [`The API "${name}" is not in the file and not in the tenant.`]
    return roles
      .filter((role) => api.isInDirectory && api.role(role).length === 0)
      .map((role) => `The API "${name}" declares no app role "${role}".`)
  })
}

/** The blueprints that the directory would refuse to create, or whose agents it would. */
const withoutSponsors = (changes: readonly Change[]): string[] => {
  const names = changes.flatMap((change) => {
    if (!('sponsors' in change) || change.sponsors.length > 0) return []
    return change.kind === 'createAgent' ? change.blueprint : change.application
  })
  return [...new Set(names)].map(
    (name) =>
      `"${name}" has no sponsor, a person who answers for it, and Microsoft Graph creates no blueprint and no agent without one: set its "sponsors".`,
  )
}

/**
 * The file may identify an application to remove by its ID too. The application may be removed
 * already.
 */
function locateRemoved(state: DirectoryState, name: string): Located {
  const application = directoryIndex(state).application(name.toLowerCase())
  return application ? { name, application } : locate(state, { displayName: name })
}

function removal({ name, application }: Located): Change[] {
  if (application === undefined) return []
  const { id: objectId, appId, appRoles } = application
  const step = appRoles.length > 0 ? 'API registration' : 'Client registration'
  return [
    { kind: 'deleteApplication', step, application: name, destructive: true, objectId, appId },
  ]
}

/**
 * Sorts changes by step, so that each finds its prerequisites: an agent needs its blueprint. Permanent
 * removals come last.
 */
function inOrder(changes: readonly Change[]): Change[] {
  const rank = ({ kind, step }: Change) => {
    if (kind.startsWith('delete')) return registrationSteps.length
    return registrationSteps.indexOf(step) + (kind === 'createAgent' ? 0.5 : 0)
  }
  return changes.toSorted((a, b) => rank(a) - rank(b))
}
