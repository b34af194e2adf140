import type { AppRole } from '../../../src/directory/app-role.ts'
import { newAppRoleAssignment } from '../../../src/directory/app-role-assignment.ts'
import type { Application } from '../../../src/directory/application.ts'
import { put } from '../../../src/directory/directory-change.ts'
import { newApplication } from '../../../src/directory/new-application.ts'
import { newServicePrincipal } from '../../../src/directory/new-service-principal.ts'
import { createPassword, secretSha256 } from '../../../src/directory/password-credential.ts'
import {
  graphAppId,
  ownerTenantId,
  privilegedApiAppIds,
  serverManagementAppId,
} from '../../../src/directory/privileged-api-ids.ts'
import { findClient } from '../../../src/issuance/client.ts'
import { grantedRoles } from '../../../src/issuance/granted-roles.ts'
import { Refused } from '../../../src/issuance/refusal.ts'
import { findResource } from '../../../src/issuance/resource.ts'
import { decideToken } from '../../../src/issuance/token-decision.ts'
import { planBootstrap } from '../../../src/management/bootstrap/bootstrap-plan.ts'
import { type GraphRole, graphRoles } from '../../../src/management/graph/graph-roles.ts'
import { currentRoles } from '../../../src/management/http/caller.ts'
import { serverRoles } from '../../../src/management/server/server-roles.ts'
import { tenant } from '../../directory/sample.ts'
import type { DirectoryIndex as Directory } from '../../fakes/directory-index.ts'
import { contoso, fabrikam } from '../sample-graph.ts'
import { keylessManagement } from './keyless-management.ts'

/** The start of a sequence. */
export type Start = {
  /** The roles of the writer and of two other callers at Contoso, as indices of `everyRole`. */
  readonly roles: readonly (readonly number[])[]
  /** Whether there is a tenant object for the owner of the management APIs, as in older directories. */
  readonly hasOwnerTenant: boolean
  /** Whether declarations of assigned roles are missing, as in older directories. */
  readonly lacksDeclarations: boolean
  /** The application of most steps. */
  readonly focus: 'administrator' | 'everywhere' | 'person' | 'management'
}

/** A person with credentials of some applications, who can authenticate as these only. */
export type Person = {
  readonly name: string
  /** The secrets that the person has received, by application ID. */
  readonly secrets: Map<string, string[]>
  /** The authority that the person had from the start, or received from a person who had it. */
  readonly due: Set<string>
}

export const homeTenantId = contoso.id
export const everyRole: readonly { readonly appId: string; readonly value: string }[] = [
  ...Object.keys(graphRoles).map((value) => ({ appId: graphAppId, value })),
  ...Object.keys(serverRoles).map((value) => ({ appId: serverManagementAppId, value })),
]

const every = everyRole.map((_, index) => index)
const writesApplications = everyRole.findIndex(({ value }) => value === 'Application.ReadWrite.All')
const everyOfGraph = every.filter((index) => everyRole[index]?.appId === graphAppId)

/** Authority is the value of a role in a tenant. */
export const authorityOf = (tenantId: string, value: string) => `${tenantId} ${value}`

/** Takes more steps than the others. Without it, few steps change the application in focus. */
const leaders: Readonly<Record<Start['focus'], string>> = {
  administrator: 'operator',
  everywhere: 'branch',
  person: 'operator',
  management: 'owner',
}

/** Persons with credentials, who change a directory of several tenants over the real APIs. */
export async function actingPeople(start: Start) {
  const sample = await keylessManagement()
  const { commit, runtime } = sample
  const { directory } = sample.log
  const people: Person[] = []

  async function enrol(name: string, tenantId: string, roles: readonly number[]): Promise<void> {
    const { credential, secretText } = createPassword({}, runtime)
    const application = newApplication({
      id: runtime.newGuid(),
      tenantId,
      appId: runtime.newGuid(),
      displayName: name,
      createdDateTime: runtime.now(),
      passwordCredentials: [credential],
    })
    const client = newServicePrincipal(tenantId, application, runtime)
    const assignments = roles.flatMap((index) => {
      const { appId = '', value } = everyRole[index] ?? {}
      const api = directory.servicePrincipalByAppId(tenantId, appId)
      const role = declaredRoles(directory, appId).find((one) => one.value === value)
      return api === undefined || role === undefined
        ? []
        : [newAppRoleAssignment(client, api, role.id, runtime)]
    })
    await commit(
      put('application', application),
      put('servicePrincipal', client),
      ...assignments.map((one) => put('appRoleAssignment', one)),
    )
    people.push({ name, secrets: new Map([[application.appId, [secretText]]]), due: new Set() })
  }

  async function restart(): Promise<void> {
    const { changes } = planBootstrap(directory, { firstTenant: contoso }, runtime)
    await commit(...changes)
  }

  if (start.hasOwnerTenant) {
    await commit(put('tenant', tenant({ id: ownerTenantId, domains: [], displayName: 'Owner' })))
    await restart()
  }
  await enrol('operator', contoso.id, every)
  await enrol('branch', fabrikam.id, everyOfGraph)
  await enrol('writer', contoso.id, [writesApplications, ...(start.roles[0] ?? [])])
  for (const [index, roles] of start.roles.slice(1).entries())
    await enrol(`person ${index}`, contoso.id, roles)
  if (start.hasOwnerTenant) await enrol('owner', ownerTenantId, everyOfGraph)

  // An application of Contoso with a service principal at Fabrikam.
  const everywhere = newApplication({
    id: runtime.newGuid(),
    tenantId: contoso.id,
    appId: runtime.newGuid(),
    displayName: 'Everywhere',
    createdDateTime: runtime.now(),
    signInAudience: 'AzureADMultipleOrgs',
  })
  await commit(
    put('application', everywhere),
    ...[contoso, fabrikam].map(({ id }) =>
      put('servicePrincipal', newServicePrincipal(id, everywhere, runtime)),
    ),
  )
  for (const person of people)
    for (const authority of await authorityHeld(directory, person, runtime.now()))
      person.due.add(authority)

  if (start.lacksDeclarations) {
    const management = directory.applicationByAppId(serverManagementAppId)
    if (management) await commit(put('application', { ...management, appRoles: [] }))
  }
  const applicationNamed = (name: string) =>
    [...directory.applicationsOf(contoso.id)].find(({ displayName }) => displayName === name)
  const focus: Application | undefined = {
    administrator: applicationNamed('Administrator'),
    everywhere,
    person: applicationNamed('person 0'),
    management: directory.applicationByAppId(serverManagementAppId),
  }[start.focus]
  const named = (name: string) => people.find((one) => one.name === name)
  const writer = named('writer')
  const leader = named(leaders[start.focus]) ?? writer
  if (leader === undefined || writer === undefined) throw new TypeError('There is a writer.')
  return { ...sample, leader, writer, focusAppId: focus?.appId ?? '', people, restart }
}

export const declaredRoles = (directory: Directory, appId: string): readonly AppRole[] =>
  directory.applicationByAppId(appId)?.appRoles ?? []

/** Whether a person may have an authority: directly, or because the person may have all tenants. */
export function isDue({ due }: Person, authority: string): boolean {
  const [tenantId, value = ''] = authority.split(' ')
  const hasAllTenants = due.has(authorityOf(homeTenantId, 'Tenant.ReadWrite.All'))
  return (
    due.has(authority) ||
    (hasAllTenants && tenantId !== homeTenantId && Object.hasOwn(graphRoles, value as GraphRole))
  )
}

/** The applications for which a person has a credential, also if they are deleted or disabled. */
export function appIdsOf(directory: Directory, { name, secrets }: Person): string[] {
  const tenantIds = [...directory.tenants(), { id: ownerTenantId }].map(({ id }) => id)
  const isKnown = (appId: string, passwords: Application['passwordCredentials']) =>
    (secrets.get(appId) ?? []).some((secret) => {
      const hash = secretSha256(secret)
      return passwords.some((known) => Buffer.from(known.secretSha256).equals(hash))
    })
  const applications = tenantIds
    .flatMap((id) => [...directory.applicationsOf(id)])
    .filter(
      ({ appId, federatedIdentityCredentials, passwordCredentials }) =>
        federatedIdentityCredentials.some(({ subject }) => subject === name) ||
        isKnown(appId, passwordCredentials),
    )
  const principals = tenantIds
    .flatMap((id) => [...directory.servicePrincipalsOf(id)])
    .filter(({ appId, passwordCredentials }) => isKnown(appId, passwordCredentials))
  return [...new Set([...applications, ...principals].map(({ appId }) => appId))]
}

/** The authority in all tokens that a person can get now, by the real token decision. */
export async function authorityHeld(
  directory: Directory,
  person: Person,
  now: Date,
): Promise<string[]> {
  const held: string[] = []
  for (const applicationId of appIdsOf(directory, person))
    for (const { tenantId } of directory.servicePrincipalsOfApplication(applicationId))
      for (const apiAppId of privilegedApiAppIds) {
        const roles = await tokenRoles(directory, person, applicationId, tenantId, apiAppId, now)
        if (roles.length === 0) continue
        const values = currentRoles(directory, { tenantId, applicationId, roles }, apiAppId)
        held.push(...values.map((value) => authorityOf(tenantId, value)))
      }
  return held
}

async function tokenRoles(
  directory: Directory,
  { name, secrets }: Person,
  clientId: string,
  tenantId: string,
  resource: string,
  now: Date,
): Promise<readonly string[]> {
  const rules = {
    assertionAudiences: () => new Set<string>(),
    assertionTimes: { clockToleranceSeconds: 60, maxLifetimeSeconds: 3600 },
    usesAssertionsOnce: false,
  }
  for (const secret of secrets.get(clientId) ?? []) {
    const authentication = { method: 'secret', secret } as const
    const request = { tenant: tenantId, clientId, authentication, resource }
    const decision = decideToken(directory, request, { rules, assertion: {} }, now)
    if (!(decision instanceof Refused)) return decision.roles
  }
  return federatedRoles(directory, name, clientId, tenantId, resource)
}

/** The decision of `decideToken` on an assertion of the person's own issuer. */
function federatedRoles(
  directory: Directory,
  name: string,
  clientId: string,
  tenantId: string,
  resource: string,
): readonly string[] {
  const home = directory.tenant(tenantId)
  const client = home && findClient(directory, home, clientId)
  const isTrusted = client?.application.federatedIdentityCredentials.some(
    ({ subject }) => subject === name,
  )
  const principal = client?.principal
  const isOpen = principal?.accountEnabled && !client?.application.isFallbackPublicClient
  if (!home?.isEnabled || !client || !principal || !isTrusted || !isOpen) return []
  const api = findResource(directory, home, resource)
  if (api instanceof Refused) return []
  const roles = grantedRoles(directory, { ...client, principal }, api)
  return roles instanceof Refused ? [] : roles
}
