import {
  appManagementFaults,
  type DirectoryPolicy,
  type ManagedChange,
  policyOf,
} from '@greeting/directory'
import { applicationIdPlaceholder, type RegistrationsFile } from '../registrations-file.ts'
import type { DirectoryState } from './directory/directory-state.ts'
import type { Located } from './directory/locate.ts'
import type { CertificateToAdd, Change } from './steps/change.ts'
import { fileIndex } from './steps/known-apis.ts'
import { planCertificates, planSecrets } from './steps/plan-credentials.ts'
import { filePolicies, planAssignments } from './steps/plan-policies.ts'
import { planRegistration, wantedIdentifierUris } from './steps/plan-registration.ts'

type Judged = {
  readonly file: RegistrationsFile
  readonly state: DirectoryState
  readonly located: readonly Located[]
  /** The policies after the file is applied. */
  readonly policies: readonly DirectoryPolicy[]
  readonly now: Date
}

const dayMs = 86_400_000

// A directory compares identifier URIs in lower case.
const newAppId = applicationIdPlaceholder.toLowerCase()

/** What the app management policies of the tenant refuse, in the words of Microsoft Graph. */
export function policyFaults(changes: readonly Change[], judged: Judged): string[] {
  const { file, state, located, policies, now } = judged
  const byName = new Map(located.map((one) => [one.name, one.application]))
  const assigned = Map.groupBy(
    changes.filter((change) => change.kind === 'assignPolicy'),
    ({ application }) => application,
  )
  const domains = [...(file.tenant?.domains ?? []), ...(state.policies?.domains ?? [])]
  return changes.flatMap((change) =>
    additionsOf(change, now).flatMap(({ what, remedy, ...added }) => {
      const application = byName.get(change.application)
      const entry = fileIndex(file).api(change.application)
      const version =
        entry?.requestedAccessTokenVersion ?? application?.api?.requestedAccessTokenVersion
      const changed = assigned.get(change.application) ?? []
      const before = state.policies?.assigned.get(application?.id ?? '') ?? []
      const policyIds = [
        ...changed.flatMap(({ to }) => to?.id ?? []),
        ...before.filter((id) => !changed.some(({ from }) => from?.id === id)),
      ]
      const policy = policyOf({ policies }, 'appManagement', { policyIds }, undefined)
      const appId = application?.appId ?? entry?.applicationId ?? newAppId
      const object = {
        kind: 'application' as const,
        appId,
        createdDateTime: application?.createdDateTime ?? undefined,
        requestedAccessTokenVersion: version === 2 ? (2 as const) : null,
        tenant: { id: state.tenantId, domains },
      }
      const uris = added.identifierUris ?? []
      const identifierUris = uris.map((uri) => uri.replaceAll(applicationIdPlaceholder, appId))
      const faults = appManagementFaults(policy, object, { ...added, identifierUris }, now)
      return faults.map(({ code, message, maxLifetimeMs }) => {
        const advice = maxLifetimeMs && remedy ? ` ${remedy(maxLifetimeMs)}` : ''
        return `The policy "${policy?.displayName}" refuses ${what} of "${change.application}" with ${code}: ${message}${advice}`
      })
    }),
  )
}

type Addition = ManagedChange & {
  readonly what: string
  readonly remedy?: (maxLifetimeMs: number) => string
}

/** What a change adds that a policy may refuse. */
function additionsOf(change: Change, now: Date): Addition[] {
  if (change.kind === 'createSecret' || change.kind === 'rotateSecret') {
    const endDateTime = new Date(+now + change.lifetimeDays * dayMs)
    const remedy = (maxMs: number) =>
      `Set its lifetimeDays to at most ${Math.floor(maxMs / dayMs)}.`
    const secrets = [{ startDateTime: now, endDateTime }]
    return [{ what: `the secret "${change.secret}"`, remedy, secrets }]
  }
  if (change.kind === 'setCertificates')
    return change.added.map(({ displayName, ...period }) => {
      return { what: `the certificate "${displayName}"`, certificates: [period] }
    })
  if (change.kind !== 'updateApplication') return []
  return change.changes.flatMap(({ property, from, to }) => {
    if (property !== 'identifierUris' || !Array.isArray(from) || !Array.isArray(to)) return []
    const added = to.filter((uri) => !from.includes(uri))
    return added.map((uri) => ({ what: `the identifier URI ${uri}`, identifierUris: [uri] }))
  })
}

/** The changes that would register all entries of a file anew. */
export function changesOfNewTenant(
  file: RegistrationsFile,
  certificates: ReadonlyMap<string, CertificateToAdd>,
  policies: readonly DirectoryPolicy[],
  now: Date,
): Change[] {
  const none = { all: [], assigned: new Map(), domains: [] }
  return [
    ...[...file.apis, ...fileIndex(file).callers].flatMap((entry) => {
      const located = { name: entry.displayName }
      return planAssignments('Client registration', located, entry, policies, none)
    }),
    ...file.apis.flatMap((entry) => {
      const located = { name: entry.displayName }
      const identifierUris = [...wantedIdentifierUris(entry, located)]
      return planRegistration('API registration', located, { ...entry, identifierUris })
    }),
    ...fileIndex(file).callers.flatMap(
      ({ displayName: name, secrets = [], certificates: listed = [] }) => [
        ...planSecrets({ name }, secrets, { now, rotate: false, apis: [] }),
        ...planCertificates(
          { name },
          listed.flatMap(({ path }) => certificates.get(path) ?? []),
        ),
      ],
    ),
  ]
}

/** What the policies of a file refuse of it in a new tenant, and the broken rules of the policies. */
export function policyFaultsOfNewTenant(
  file: RegistrationsFile,
  tenantId: string,
  now: Date,
): readonly string[] {
  const { policies, faults } = filePolicies(file.policies)
  const state = { tenantId, applications: [], servicePrincipals: [], assignments: [] }
  const changes = changesOfNewTenant(file, new Map(), policies, now)
  return [...faults, ...policyFaults(changes, { file, state, located: [], policies, now })]
}
