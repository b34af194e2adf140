import {
  type Application,
  type AppManagementFault,
  appManagementFaults,
  type Directory,
  type DirectoryChange,
  initialAppManagementPolicy,
  locksCredentials,
  policyOf,
  type ServicePrincipal,
} from '@greeting/directory'
import type { RepeatableRuntime } from '@greeting/directory/live'
import { GraphError } from '../refusals/graph-error.ts'
import type { RefusalName } from '../refusals/refusals.ts'

const locked = 'CannotUpdateLockedServicePrincipalProperty'
const rows: Readonly<Record<AppManagementFault['code'] | typeof locked, RefusalName>> = {
  [locked]: 'locked_by_application',
  CredentialInvalidLifetimeAsPerAppPolicy: 'lifetime_exceeds_policy',
  CredentialTypeNotAllowedAsPerAppPolicy: 'credential_forbidden_by_policy',
  HostNameNotOnVerifiedDomain: 'identifier_uri_forbidden_by_policy',
  InvalidUniqueTenantIdentifierAsPerAppPolicy: 'identifier_uri_without_tenant',
  SignInAudienceNotAllowedAsPerAppPolicy: 'audience_forbidden_by_policy',
}

type PolicyCall = {
  readonly committed: Directory
  readonly runtime: Pick<RepeatableRuntime, 'hasMade' | 'now'>
}

/**
 * Requires that the tenant's app management policies permit what a change adds to applications and service
 * principals, and that no application locks the changed credentials of its service principals.
 *
 * @throws {GraphError} graph_refusal locked_by_application, lifetime_exceeds_policy, credential_forbidden_by_policy,
 *   identifier_uri_forbidden_by_policy, identifier_uri_without_tenant, audience_forbidden_by_policy.
 */
export function requirePolicies(call: PolicyCall, changes: readonly DirectoryChange[]): void {
  const [first, ...others] = changes.flatMap(({ kind, value }) =>
    (kind === 'application' || kind === 'servicePrincipal') && value !== null
      ? [
          ...(kind === 'servicePrincipal' ? lockFaults(call, value) : []),
          ...faultsOf(call, kind, value),
        ]
      : [],
  )
  if (first === undefined) return
  const details = [first, ...others].slice(0, 20).flatMap((one) => one.details)
  throw new GraphError(rows[first.code], first.message, { details })
}

function lockFaults({ committed, runtime }: PolicyCall, after: ServicePrincipal) {
  const { appId, id } = after
  const application = runtime.hasMade(appId) ? undefined : committed.applicationByAppId(appId)
  if (application === undefined || !locksCredentials(application)) return []
  const before = runtime.hasMade(id) ? undefined : committed.servicePrincipal(id)
  return (['passwordCredentials', 'keyCredentials'] as const)
    .filter((target) => keyIdsOf(before?.[target]) !== keyIdsOf(after[target]))
    .map((target) => {
      const message = `Property ${target} is invalid.`
      const details = [{ code: 'GenericError', message, target }]
      return { code: locked, message, details } as const
    })
}

const keyIdsOf = (credentials: readonly { readonly keyId: string }[] = []) =>
  credentials.map(({ keyId }) => keyId).join()

type Managed = Pick<Application, 'passwordCredentials' | 'keyCredentials'> &
  Partial<Pick<Application, 'identifierUris' | 'signInAudience' | 'requestedAccessTokenVersion'>>

function faultsOf(
  { committed, runtime }: PolicyCall,
  kind: 'application' | 'servicePrincipal',
  after: (Application | ServicePrincipal) & Managed,
): AppManagementFault[] {
  const tenant = committed.tenant(after.tenantId)
  if (tenant === undefined) return []
  // What this call creates is not looked up.
  const before: Managed | undefined = runtime.hasMade(after.id)
    ? undefined
    : committed[kind](after.id)
  // Either place of the object finds its policy.
  const policy = policyOf(tenant, 'appManagement', after, undefined) ?? initialAppManagementPolicy
  const isNew = (known: readonly { readonly keyId: string }[] = []) => {
    const keyIds = new Set(known.map(({ keyId }) => keyId))
    return ({ keyId }: { readonly keyId: string }) => !keyIds.has(keyId)
  }
  // A return to version 1 needs the policy for every name (entra E344).
  const leavesVersion2 =
    before?.requestedAccessTokenVersion === 2 && after.requestedAccessTokenVersion !== 2
  const identifierUris = (after.identifierUris ?? []).filter(
    (uri) => leavesVersion2 || !before?.identifierUris?.includes(uri),
  )
  const change = {
    secrets: after.passwordCredentials.filter(isNew(before?.passwordCredentials)),
    certificates: after.keyCredentials.filter(isNew(before?.keyCredentials)),
    identifierUris,
    ...(after.signInAudience !== before?.signInAudience && {
      signInAudience: after.signInAudience,
    }),
  }
  const principal =
    identifierUris.length === 0 || runtime.hasMade(after.appId)
      ? undefined
      : committed.servicePrincipalByAppId(tenant.id, after.appId)
  const isOfSaml = principal?.inertProperties.preferredSingleSignOnMode === 'saml'
  return appManagementFaults(policy, { ...after, kind, tenant, isOfSaml }, change, runtime.now())
}
