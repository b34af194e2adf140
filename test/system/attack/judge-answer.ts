import type { DocumentedOperation, ManagementApi } from './documented-roles.ts'
import type {
  Authority,
  ObservedApplication,
  ObservedDirectory,
  ObservedPrincipal,
} from './observed-directory.ts'

/** The client that a request is sent as. */
export type Caller = {
  /** False for every token that no management API may accept. */
  readonly isGenuine: boolean
  /** The API of the token. */
  readonly api: ManagementApi
  readonly tenantId: string
  readonly appId: string
  /** The roles in the token. */
  readonly roles: ReadonlySet<string>
}

/** The objects that a request names, by their IDs. */
export type Target = {
  readonly application?: string | undefined
  readonly principal?: string | undefined
  /** The principal that an assignment gives a role to. */
  readonly client?: string | undefined
  /** The management role that an assignment gives or takes. */
  readonly authority?: Authority | undefined
  readonly tenantId?: string | undefined
  /** Whether the body adds a certificate. */
  readonly addsCredential?: boolean
  /** Whether the body repeats what a management API has, which Graph answers with 204. */
  readonly keepsManagementApi?: boolean
  /** Whether a deleted principal comes back. It has no credential of its own in most cases. */
  readonly isRestored?: boolean
  readonly choosesTenantId?: boolean
  readonly disablesTenant?: boolean
}

const foreign = 'an object of another tenant'
const privileged = 'a client with a management role that the caller lacks'
const privilegedElsewhere = 'an application with management roles in another tenant'

/** The rows of the reference that refuse a new credential. */
const refusesCredentials: ReadonlySet<string> = new Set([foreign, privileged, privilegedElsewhere])

/** The operations that need no role for the application of the caller. */
const ownKeys = /^POST \/applications\/\{id\}\/(add|remove)Key$/
const writer = 'Application.ReadWrite.All'

/** What the target of a request is for its caller, in the words of the reference. */
function kindsOf(target: Target, caller: Caller, directory: ObservedDirectory): readonly string[] {
  const owned = directory.ownedBy(caller.appId, caller.tenantId)
  const lacks = (authorities: readonly Authority[]) => authorities.some((one) => !owned.has(one))
  const inTenant = (one: Authority) => one.startsWith(`${caller.tenantId} `)

  const ofApplication = ({ appId, homeTenantId }: ObservedApplication): string[] => {
    if (homeTenantId !== caller.tenantId) return [foreign]
    const assigned = directory.assignedTo(appId)
    return [
      ...(lacks(assigned.filter(inTenant)) ? [privileged] : []),
      ...(appId !== caller.appId && lacks(assigned) ? [privilegedElsewhere] : []),
    ]
  }
  const ofPrincipal = (principal: ObservedPrincipal): string[] => {
    const { appId, tenantId, managementApi } = principal
    if (tenantId !== caller.tenantId) return [foreign]
    if (managementApi !== undefined) return target.keepsManagementApi ? [] : ['a management API']
    const isHome = directory.applicationByAppId(appId)?.homeTenantId === tenantId
    const leadsElsewhere = isHome && !target.isRestored && appId !== caller.appId
    return [
      ...(lacks(directory.assignedToPrincipal(principal)) ? [privileged] : []),
      ...(leadsElsewhere && lacks(directory.assignedTo(appId)) ? [privilegedElsewhere] : []),
    ]
  }

  const application = directory.applications.get(target.application ?? '')
  const principal = directory.principals.get(target.principal ?? '')
  const client = directory.principals.get(target.client ?? '')
  const kinds = [
    ...(application ? ofApplication(application) : []),
    ...(principal ? ofPrincipal(principal) : []),
  ]
  if (client && client.tenantId !== caller.tenantId) kinds.push('a client of another tenant')
  if (target.authority && !owned.has(target.authority))
    kinds.push('a management role that the caller lacks')
  if (target.choosesTenantId) kinds.push('a tenant with an id that the caller chooses')
  if (target.tenantId === caller.tenantId) {
    kinds.push("the caller's own tenant")
    if (target.disablesTenant) kinds.push("disabling the caller's own tenant")
  }
  return kinds
}

/**
 * Compares a successful response with the reference.
 *
 * @returns why the answer should have been a refusal; undefined when the reference permits it
 */
export function undueReason(
  { api, operation, permits, refusedOn }: DocumentedOperation,
  caller: Caller,
  target: Target,
  directory: ObservedDirectory,
): string | undefined {
  if (!caller.isGenuine) return 'the token is not genuine'
  if (caller.api !== api) return 'the token is for another API'
  const active = directory
    .activeIn(caller.appId, caller.tenantId)
    .flatMap((one) => (one.startsWith(`${caller.tenantId} ${api} `) ? one.split(' ').slice(2) : []))
  const roles = active.filter((role) => caller.roles.has(role))
  if (!permits(new Set(roles))) return `the caller has only the roles ${roles.join(', ') || 'none'}`
  const { appId } = directory.applications.get(target.application ?? '') ?? {}
  if (ownKeys.test(operation) && !roles.includes(writer) && appId !== caller.appId)
    return 'the caller reaches its own application only'
  const kinds = kindsOf(target, caller, directory)
  // Each tenant sees its own objects only.
  const isRefused = (kind: string) =>
    kind === foreign ||
    refusedOn.has(kind) ||
    (target.addsCredential === true && refusesCredentials.has(kind))
  const kind = kinds.find(isRefused)
  return kind === undefined ? undefined : `it is refused on ${kind}`
}
