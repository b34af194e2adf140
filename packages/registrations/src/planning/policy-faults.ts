import { appManagementFaults, type ManagedChange, policyOf } from '@greeting/directory'
import type { Policy, PolicyNames } from '../policy-entries.ts'
import { applicationIdPlaceholder, type RegistrationsFile } from '../registrations-file.ts'
import type { DirectoryState } from './directory/directory-state.ts'
import type { Located } from './directory/locate.ts'
import type { Change } from './steps/change.ts'
import { fileIndex } from './steps/known-apis.ts'
import { assignedPolicies, policyText } from './steps/plan-policies.ts'

const dayMs = 86_400_000
const latestDate = new Date(8.64e15)

/** The policy of a kind that applies to an object of the directory, or would with an entry of a file. */
export function policyInForce(
  policies: readonly Policy[],
  kind: Policy['kind'],
  [applicationId, principalId]: readonly (string | undefined)[],
  entry: PolicyNames = {},
): Policy | undefined {
  const idsOf = (all: readonly Policy[]) => ({ policyIds: all.map(({ id }) => id) })
  const ofApplication = idsOf(assignedPolicies(policies, entry, applicationId))
  const ofPrincipal = idsOf(assignedPolicies(policies, {}, principalId))
  return policyOf({ policies }, kind, ofApplication, ofPrincipal)
}

/** The longest lifetime of new secrets that a policy permits; 0 if it permits none. */
export type SecretLimit = { readonly policy: Policy; readonly maxDays: number }

/** What the policy of an application says of new secrets; undefined if it permits all. */
export function secretLimit(
  { policies = [], tenantId }: Pick<DirectoryState, 'policies' | 'tenantId'>,
  { application }: Pick<Located, 'application'>,
  now: Date,
): SecretLimit | undefined {
  const policy = policyInForce(policies, 'appManagement', [application?.id])
  if (application === undefined || policy === undefined) return undefined
  const { appId, createdDateTime } = application
  const object = {
    kind: 'application',
    appId,
    createdDateTime: createdDateTime ?? now,
    tenant: { id: tenantId, domains: [] },
  } as const
  const secrets = [{ startDateTime: now, endDateTime: latestDate }]
  const faults = appManagementFaults(policy, object, { secrets }, now)
  const shortestMs = Math.min(...faults.map((one) => one.maxLifetimeMs ?? 0))
  return faults.length > 0 ? { policy, maxDays: Math.floor(shortestMs / dayMs) } : undefined
}

/** The limit in words. */
export const secretLimitText = ({ policy, maxDays }: SecretLimit): string =>
  `the ${policyText(policy)} permits ${maxDays > 0 ? `secrets of at most ${maxDays} days` : 'no new secret'}`

type Judged = {
  readonly file: RegistrationsFile
  readonly state: DirectoryState
  readonly located: readonly Located[]
  /** The policies after the file is applied. */
  readonly policies: readonly Policy[]
  readonly now: Date
}

// A directory compares identifier URIs in lower case.
const newAppId = applicationIdPlaceholder.toLowerCase()

/** What the app management policies of the tenant refuse, in the words of Microsoft Graph. */
export function policyFaults(changes: readonly Change[], judged: Judged): string[] {
  const { file, state, located, policies, now } = judged
  const byName = new Map(located.map((one) => [one.name, one]))
  const known = [file.tenant?.domains, state.domains].filter((all) => all !== undefined)
  const domains = known.flat()
  const tenant = { id: state.tenantId, domains, policies: state.authorities }
  return changes.flatMap((change) => {
    const { application: name } = change
    const { application, servicePrincipal } = byName.get(name) ?? {}
    const api = fileIndex(file).api(name)
    const entry = { ...fileIndex(file).client(name), ...api }
    const policy = policyInForce(policies, 'appManagement', [application?.id], entry)
    const appId = application?.appId ?? api?.applicationId ?? newAppId
    const version =
      api?.requestedAccessTokenVersion ?? application?.api?.requestedAccessTokenVersion
    const object = {
      kind: 'application' as const,
      appId,
      isOfSaml: servicePrincipal?.preferredSingleSignOnMode === 'saml',
      createdDateTime: application?.createdDateTime ?? now,
      requestedAccessTokenVersion: version === 2 ? (2 as const) : null,
      tenant,
    }
    return additionsOf(change, appId, now).flatMap(({ what, ...added }) =>
      appManagementFaults(policy, object, added, now).flatMap((fault) => {
        const { code, details, message, maxLifetimeMs } = fault
        const needsDomains = added.identifierUris && details[0]?.code !== 'nonDefaultUriAddition'
        if (needsDomains && known.length === 0) return []
        const isOfSecret = maxLifetimeMs !== undefined && added.secrets !== undefined
        const maxDays = Math.floor((maxLifetimeMs ?? 0) / dayMs)
        const remedy = isOfSecret ? ` Set its lifetimeDays to at most ${maxDays}.` : ''
        return `The policy "${policy?.displayName}" refuses ${what} of "${name}" with ${code}: ${message}${remedy}`
      }),
    )
  })
}

/** What a plan says of new certificates when it cannot read the authorities that a policy requires. */
export const unknownAuthorities = (
  changes: readonly Change[],
  { authorities, policies }: Pick<DirectoryState, 'authorities' | 'policies'>,
): string[] =>
  authorities === undefined &&
  JSON.stringify(policies).includes('trustedCertificateAuthority') &&
  changes.some((change) => change.kind === 'setCertificates' && change.added.length > 0)
    ? ['A policy requires trusted authorities, which cannot be read: it may refuse a certificate.']
    : []

/** What a change adds that a policy may refuse, with words for it. */
function additionsOf(
  change: Change,
  appId: string,
  now: Date,
): readonly (ManagedChange & { readonly what: string })[] {
  if (change.kind === 'createSecret' || change.kind === 'rotateSecret') {
    const endDateTime = new Date(+now + change.lifetimeDays * dayMs)
    const secrets = [{ startDateTime: now, endDateTime }]
    return [{ what: `the secret "${change.secret}"`, secrets }]
  }
  if (change.kind === 'setCertificates')
    return change.added.map(({ der, displayName, ...period }) => {
      const certificates = [{ ...period, certificate: Buffer.from(der, 'base64') }]
      return { what: `the certificate "${displayName}"`, certificates }
    })
  if (change.kind !== 'updateApplication') return []
  return change.changes.flatMap(({ property, from, to }) => {
    if (property !== 'identifierUris' || !Array.isArray(from) || !Array.isArray(to)) return []
    const added = to.filter((uri) => !from.includes(uri))
    return added.map((uri) => ({
      what: `the identifier URI ${uri}`,
      identifierUris: [uri.replaceAll(applicationIdPlaceholder, appId)],
    }))
  })
}
