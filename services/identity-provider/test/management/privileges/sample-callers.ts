import {
  type Application,
  type AppRole,
  createPassword,
  graphAppId,
  newAgentIdentity,
  newApplication,
  newAppRoleAssignment,
  newServicePrincipal,
  ownerTenantId,
  put,
  roleOfBlueprints,
  type ServicePrincipal,
  serverManagementAppId,
  type Tenant,
} from '@greeting/directory'
import type { DirectoryIndex as Directory } from '../../../../../test/fixtures/directory/directory-index.ts'
import { policy, tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { planBootstrap } from '../../../src/management/bootstrap/bootstrap-plan.ts'
import { apisOfEveryTenant } from '../../../src/management/privileges/built-in-apis.ts'
import { type GraphRole, graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { contoso, fabrikam } from '../sample-graph.ts'
import { certificateOf } from './certificate-of.ts'
import { authorityHeld, authorityOf, type Person } from './held-authority.ts'
import { keylessManagement } from './keyless-management.ts'

/** The start of a sequence. */
export type Start = {
  /** The roles of the writer and of two other callers at Contoso, as indices of `everyRole`. */
  readonly roles: readonly (readonly number[])[]
  /** Whether there is a tenant object for the owner of the management APIs, as in older directories. */
  readonly hasOwnerTenant: boolean
  /** Whether declarations of assigned roles are missing, as in older directories. */
  readonly lacksDeclarations: boolean
  /** The objects of most steps. */
  readonly focus:
    | 'administrator'
    | 'blueprint'
    | 'everywhere'
    | 'home'
    | 'visitor'
    | 'person'
    | 'management'
  /** The roles of Graph that both multi-tenant applications have in both tenants. */
  readonly rolesOfMultiTenant: readonly {
    readonly atHome: readonly number[]
    readonly away: readonly number[]
  }[]
}

export const homeTenantId = contoso.id
export const everyRole: readonly { readonly appId: string; readonly value: string }[] = [
  ...Object.keys(graphRoles).map((value) => ({ appId: graphAppId, value })),
  ...Object.keys(serverRoles).map((value) => ({ appId: serverManagementAppId, value })),
]

const every = everyRole.map((_, index) => index)

/** At the start, each tenant has these policies, and the clients of persons have them assigned. */
const policies = [
  policy(0x90),
  policy(0x91, {
    kind: 'tokenLifetime',
    definition: ['{"TokenLifetimePolicy":{"Version":1}}'],
  }),
  policy(0x92, {
    kind: 'claimsMapping',
    definition: ['{"ClaimsMappingPolicy":{"Version":1}}'],
  }),
]
/** The certificate with which each person signs proofs, but no client authenticates. */
export const sharedCertificate = await certificateOf('Shared')
const policyIds = policies.map(({ id }) => id)
const writesApplications = everyRole.findIndex(({ value }) => value === 'Application.ReadWrite.All')
const everyOfGraph = every.filter((index) => everyRole[index]?.appId === graphAppId)

/** Takes more steps than the others. Without it, few steps change the application in focus. */
const leaders: Readonly<Record<Start['focus'], string>> = {
  administrator: 'operator',
  blueprint: 'writer',
  everywhere: 'branch',
  home: 'writer',
  visitor: 'branch',
  person: 'operator',
  management: 'owner',
}

/** Creates persons with credentials, who change a directory of several tenants through the real APIs. */
export async function actingPeople(start: Start) {
  const sample = await keylessManagement()
  const { commit, runtime } = sample
  const { directory } = sample.log
  const people: Person[] = []

  const assignmentsOf = (client: ServicePrincipal, roles: readonly number[]) =>
    roles.flatMap((index) => {
      const { appId = '', value } = everyRole[index] ?? {}
      const api = directory.servicePrincipalByAppId(client.tenantId, appId)
      const role = declaredRoles(directory, appId).find((one) => one.value === value)
      return api === undefined || role === undefined
        ? []
        : [put('appRoleAssignment', newAppRoleAssignment(client, api, role.id, runtime))]
    })

  async function enrol(name: string, tenantId: string, roles: readonly number[]): Promise<void> {
    const { credential, secretText } = createPassword({}, runtime)
    const application = newApplication({
      id: runtime.newGuid(),
      tenantId,
      appId: runtime.newGuid(),
      displayName: name,
      createdDateTime: runtime.now(),
      passwordCredentials: [credential],
      keyCredentials: [sharedCertificate],
      policyIds: policyIds.slice(0, 2),
    })
    const { keyCredentials } = application
    const initial = newServicePrincipal(tenantId, application, runtime)
    const client = { ...initial, keyCredentials, policyIds }
    await commit(
      put('application', application),
      put('servicePrincipal', client),
      ...assignmentsOf(client, roles),
    )
    const secrets = new Map([[application.appId, [secretText]]])
    people.push({ name, secrets, certificate: await certificateOf(name), due: new Set() })
  }

  async function restart(): Promise<void> {
    const { changes } = planBootstrap(
      directory,
      { firstTenant: contoso, survey: directory.surveyTenants([...apisOfEveryTenant]) },
      runtime,
    )
    await commit(...changes)
  }

  for (const { id } of [...directory.tenants()]) {
    const known = directory.tenant(id)
    if (known) await commit(put('tenant', { ...known, policies }))
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

  /** An application of one tenant with service principals in both. */
  async function enrolEverywhere(
    displayName: string,
    home: Tenant,
    away: Tenant,
    index: number,
    blueprint: Application['blueprint'] = null,
  ) {
    const application = newApplication({
      id: runtime.newGuid(),
      tenantId: home.id,
      appId: runtime.newGuid(),
      displayName,
      createdDateTime: runtime.now(),
      signInAudience: 'AzureADMultipleOrgs',
      blueprint,
    })
    const roles = start.rolesOfMultiTenant[index]
    await commit(put('application', application))
    for (const [{ id }, given] of [
      [home, roles?.atHome],
      [away, roles?.away],
    ] as const) {
      const client = newServicePrincipal(id, application, runtime)
      await commit(put('servicePrincipal', client), ...assignmentsOf(client, given ?? []))
    }
    return application
  }

  const everywhere = await enrolEverywhere('Everywhere', contoso, fabrikam, 0)
  const visitor = await enrolEverywhere('Visitor', fabrikam, contoso, 1)
  const blueprint = await enrolEverywhere('Blueprint', contoso, fabrikam, 0, {
    sponsorIds: [contoso.id],
    inheritablePermissions: [graphAppId, serverManagementAppId].map((resourceAppId) => ({
      resourceAppId,
      scopes: 'none',
      roles: 'none',
    })),
  })
  const agents = [contoso, fabrikam].map(({ id }) =>
    newAgentIdentity(
      id,
      {
        agentIdentityBlueprintId: blueprint.appId,
        createdByAppId: null,
        displayName: 'Agent',
        sponsorIds: [contoso.id],
      },
      runtime,
    ),
  )
  const reads = everyRole.findIndex(({ value }) => value === 'Application.Read.All')
  for (const agent of agents) {
    await commit(put('servicePrincipal', agent), ...assignmentsOf(agent, [reads]))
  }
  for (const person of people)
    for (const authority of authorityHeld(directory, person, runtime.now()))
      person.due.add(authority)

  if (start.lacksDeclarations) {
    const management = directory.applicationByAppId(serverManagementAppId)
    if (management) await commit(put('application', { ...management, appRoles: [] }))
  }
  const applicationNamed = (name: string) =>
    [...directory.applicationsOf(contoso.id)].find(({ displayName }) => displayName === name)
  const focus: Application | undefined = {
    administrator: applicationNamed('Administrator'),
    blueprint,
    everywhere,
    home: everywhere,
    visitor,
    person: applicationNamed('person 0'),
    management: directory.applicationByAppId(serverManagementAppId),
  }[start.focus]
  // A service principal of one application may lead to the other application.
  const focusOfPrincipals =
    start.focus === 'blueprint' ? agents[0] : start.focus === 'visitor' ? everywhere : focus
  const named = (name: string) => people.find((one) => one.name === name)
  const writer = named('writer')
  const leader = named(leaders[start.focus]) ?? writer
  if (leader === undefined || writer === undefined) throw new TypeError('There is a writer.')
  const focusAppId = focus?.appId ?? ''
  const principalAppId = focusOfPrincipals?.appId ?? ''
  return { ...sample, leader, writer, focusAppId, principalAppId, people, restart }
}

export const declaredRoles = (directory: Directory, appId: string): readonly AppRole[] =>
  directory.applicationByAppId(appId)?.appRoles ?? []

/** True if a person may have an authority: directly, or because the person may have all tenants. */
export function isDue({ due }: Person, authority: string): boolean {
  const [tenantId, value = ''] = authority.split(' ')
  const hasAllTenants = due.has(authorityOf(homeTenantId, 'Tenant.ReadWrite.All'))
  return (
    due.has(authority) ||
    // Every blueprint has it, for its own agents only.
    value === roleOfBlueprints ||
    (hasAllTenants && tenantId !== homeTenantId && Object.hasOwn(graphRoles, value as GraphRole))
  )
}
