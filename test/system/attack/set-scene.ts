import type { ManagementApi, Role } from './documented-roles.ts'
import type { ManagementClient } from './management-client.ts'
import type { Authority, ObservedDirectory } from './observed-directory.ts'
import type { RandomChoices } from './random-choices.ts'
import { type Administrator, type Key, Registrar } from './registrar.ts'

/** The operator, and three attackers of each tenant. */
export const attackerCount = 7

/** One attacker, with what it knows and the management roles that it may have. */
export type Attacker = { readonly keys: Key[]; readonly due: Set<Authority> }

/** Tenants, applications and attackers of one run of sequences. */
export type Scene = {
  readonly directory: ObservedDirectory
  /** The first tenant of the server, and two new ones. */
  readonly tenantIds: readonly [string, string, string]
  readonly attackers: readonly Attacker[]
  /** Reads the objects of a client that the server created. */
  readonly observe: Registrar['observe']
  /** An API of a new tenant, whose roles have the names of management roles. */
  readonly decoyScope: string
}

type Roles = Readonly<Record<ManagementApi, readonly Role[]>>

/**
 * Creates two tenants, their applications and the attackers, as the administrators of the server and of the
 * tenants. Some applications are in both tenants, and some secrets belong to a service principal.
 *
 * @throws {Error} when the server refuses a step
 */
export async function setScene(
  client: ManagementClient,
  server: Administrator,
  roles: Roles,
  random: RandomChoices,
): Promise<Scene> {
  const registrar = new Registrar(client, roles)
  const a = await registrar.createTenant(server, 'A')
  const b = await registrar.createTenant(server, 'B')
  for (const one of [server, a, b]) await registrar.enter(one)
  const keys = [
    await addOperator(registrar, server.tenantId, roles, random),
    ...(await addClients(registrar, a.tenantId, b.tenantId, roles, random)),
    ...(await addClients(registrar, b.tenantId, a.tenantId, roles, random)),
  ]
  const attackers = keys.map((key) => {
    const { directory } = registrar
    const assigned = directory.assignedTo(key.appId)
    const due = assigned.filter((one) => directory.reaches(key, one.split(' ')[0] ?? ''))
    return { keys: [key], due: new Set(due) }
  })
  const decoyed = keys.slice(1, 3).map(({ appId }) => appId)
  return {
    directory: registrar.directory,
    tenantIds: [server.tenantId, a.tenantId, b.tenantId],
    attackers,
    observe: (tenantId, appId) => registrar.observe(tenantId, appId),
    decoyScope: await addDecoy(registrar, a.tenantId, roles.graph, decoyed),
  }
}

/** A client of the first tenant with some server roles, never those that change signing keys. */
async function addOperator(
  registrar: Registrar,
  tenantId: string,
  roles: Roles,
  random: RandomChoices,
): Promise<Key> {
  const { appId } = await registrar.addApplication(tenantId)
  const key = await registrar.addSecret(appId, tenantId)
  const rare = new Set(['Tenant.ReadWrite.All'])
  const given = random
    .someOf(roles.server.filter(({ name }) => name !== 'SigningKey.ReadWrite.All'))
    .filter(({ name }) => !rare.has(name) || random.isLikely(0.3))
  await registrar.assign(tenantId, 'server', appId, given)
  await registrar.assign(tenantId, 'graph', appId, random.someOf(roles.graph).slice(0, 2))
  return key
}

/** A client of one tenant, one of both tenants with two secrets, and one with all roles that no caller knows. */
async function addClients(
  registrar: Registrar,
  home: string,
  away: string,
  roles: Roles,
  random: RandomChoices,
): Promise<Key[]> {
  const plain = await registrar.addApplication(home)
  const both = await registrar.addApplication(home, { signInAudience: 'AzureADMultipleOrgs' })
  const victim = await registrar.addApplication(home)
  await registrar.addPrincipal(away, both.appId)
  // Before the roles, which no administrator of one tenant has in both.
  const keys = [
    await registrar.addSecret(plain.appId, home),
    await registrar.addSecret(both.appId, home),
    await registrar.addSecret(both.appId, random.oneOf([home, away]), true),
  ]
  await registrar.assign(home, 'graph', plain.appId, random.someOf(roles.graph))
  await registrar.assign(home, 'graph', both.appId, random.someOf(roles.graph))
  await registrar.assign(away, 'graph', both.appId, random.someOf(roles.graph))
  await registrar.assign(home, 'graph', victim.appId, roles.graph)
  return keys
}

/** @returns the scope of an API whose roles have the names of management roles */
async function addDecoy(
  registrar: Registrar,
  tenantId: string,
  roles: readonly Role[],
  clients: readonly string[],
): Promise<string> {
  const appRoles = roles.map(({ id, name }) => ({
    id,
    value: name,
    displayName: name,
    description: name,
    isEnabled: true,
    allowedMemberTypes: ['Application'],
  }))
  const decoy = await registrar.addApplication(tenantId, { appRoles })
  await registrar.changeApplication(decoy, { identifierUris: [`api://${decoy.appId}`] })
  for (const one of clients) await registrar.assign(tenantId, decoy.appId, one, roles)
  return `api://${decoy.appId}/.default`
}
