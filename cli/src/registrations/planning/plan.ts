import type { RegistrationsFile } from '@greeting/registrations'
import { type Adoption, adoptionsOf, namesIn, refusedConsents } from './adoption.ts'
import type { CertificateToAdd, Change } from './change.ts'
import { consequencesOfFile, consequencesOfLeaving, consequencesOfTime } from './consequences.ts'
import { directoryIndex } from './directory-index.ts'
import type { DirectoryState } from './directory-state.ts'
import { fileIndex } from './file-index.ts'
import { KnownApi } from './known-api.ts'
import { KnownApis } from './known-apis.ts'
import { type Located, locate, locateResource, rolesOf } from './locate.ts'
import { planAppRoles, wantedRoles } from './plan-app-roles.ts'
import { planCertificates } from './plan-certificates.ts'
import { planConsents, wantedConsents } from './plan-consents.ts'
import { planPermissions } from './plan-permissions.ts'
import { planRegistration, wantedIdentifierUris } from './plan-registration.ts'
import { planSecrets } from './plan-secrets.ts'
import { registrationSteps } from './registration-step.ts'

export type PlanInput = {
  readonly file: RegistrationsFile
  readonly state: DirectoryState
  readonly now: Date
  /** The certificates that the file names, by path. */
  readonly certificates?: ReadonlyMap<string, CertificateToAdd>
  /** Names of clients whose secrets are to be rotated, due or not. */
  readonly rotate?: ReadonlySet<string>
  /** Application ids that are known to be meant, though the file names the applications only. */
  readonly confirmed?: ReadonlySet<string>
  /** Whether the ids of all applications are to be written into the file. */
  readonly writesIds?: boolean
}

/** What has to be done so that the directory is as the file says. */
export type Plan = {
  /** In the order in which they can be done. */
  readonly changes: readonly Change[]
  /** Applications found by a name alone, which are used only when a person confirms each of them. */
  readonly adoptions: readonly Adoption[]
  /** Why nobody can tell what is to be done; while there are any, nothing is. */
  readonly faults: readonly string[]
  /** What clients meet if nothing is done. */
  readonly ifLeft: readonly string[]
  /** What clients will still lack when everything is done. */
  readonly ifApplied: readonly string[]
  /** How the applications of the file were found, for whoever carries out the steps. */
  readonly located: readonly Located[]
}

/**
 * Compares a registrations file with a directory. Pure: nothing is asked and nothing is changed.
 *
 * @example
 * const { steps } = planRegistrations({ file, state, now: new Date() })
 * steps.map(({ act, kind }) => `${act}: ${kind}`)
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
  } = input
  const apis = knownApis(file, state)
  const entries = fileIndex(file)
  const clients = file.clients.map(
    (client) => apis.named(client.displayName)?.located ?? locate(state, client),
  )
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
    ...file.clients.flatMap((entry, index): Change[] => {
      const client = clients[index] ?? { name: entry.displayName }
      const isApi = entries.api(entry.displayName) !== undefined
      const { permissions, secrets, certificates: listed } = entry
      return [
        ...(isApi ? [] : planRegistration('Client registration', client, {})),
        ...(permissions ? planPermissions(client, permissions, apis) : []),
        ...(file.consents
          ? planConsents(client, wantedConsents(file, client.name, apis), apis, state)
          : []),
        ...(secrets
          ? planSecrets(client, secrets, {
              now,
              rotate: rotate.has(client.name),
              apis: (permissions ?? []).map(({ api }) => api),
            })
          : []),
        ...(listed
          ? planCertificates(
              client,
              listed.flatMap(({ path }) => certificates.get(path) ?? []),
            )
          : []),
      ]
    }),
    ...gone.flatMap(removal),
  ]
  const ifApplied = [...consequencesOfFile(file), ...consequencesOfTime(file, certificates, now)]
  const foundByName = adoptionsOf(file, [...declared, ...clients], { now, confirmed, certificates })
  const refused = refusedConsents(changes, foundByName)
  if (refused.length > 0)
    return { changes: [], adoptions: [], faults: refused, ifLeft, ifApplied: [], located }
  const changed = new Set(changes.flatMap(namesIn))
  const adoptions = foundByName.filter((one) => writesIds || changed.has(one.application))
  return { changes: inOrder(changes), adoptions, faults, ifLeft, ifApplied, located }
}

/** The APIs that the file declares, then those of the directory that it speaks of. */
function knownApis(file: RegistrationsFile, state: DirectoryState): KnownApis {
  const declared = file.apis.map((entry) => {
    const located = locate(state, entry)
    return new KnownApi(located, wantedRoles(entry, located, state.tenantId))
  })
  const spokenOf = [
    ...file.clients.flatMap(({ permissions = [] }) => permissions.map(({ api }) => api)),
    ...(file.consents ?? []).map(({ api }) => api),
  ]
  const others = [...new Set(spokenOf)]
    .filter((name) => fileIndex(file).api(name) === undefined)
    .map((name) => locateResource(state, name))
    .map((located) => new KnownApi(located, rolesOf(located)))
  return new KnownApis([...declared, ...others])
}

/** APIs and roles that neither the file nor the directory knows. */
function unknown(file: RegistrationsFile, apis: KnownApis): string[] {
  const demands = [
    ...file.clients.flatMap(({ permissions = [] }) => permissions),
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

/** An application that is to go may be given by its id too, and may be gone already. */
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

/** By act, so that whatever a step needs is there; what is removed for good comes last. */
function inOrder(changes: readonly Change[]): Change[] {
  const rank = ({ kind, step }: Change) =>
    kind === 'deleteApplication' ? registrationSteps.length : registrationSteps.indexOf(step)
  return changes.toSorted((a, b) => rank(a) - rank(b))
}
