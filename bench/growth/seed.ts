import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditRecord } from '../../packages/directory/src/audit/audit-record.ts'
import { newApplication } from '../../packages/directory/src/model/application/application.ts'
import { secretSha256 } from '../../packages/directory/src/model/application/password-credential.ts'
import { type DirectoryChange, put } from '../../packages/directory/src/model/directory-change.ts'
import { newServicePrincipal } from '../../packages/directory/src/model/service-principal/service-principal.ts'
import { newTenant } from '../../packages/directory/src/model/tenant.ts'
import type { Storage } from '../../packages/directory/src/storage/storage.ts'

/** The seed of all stores. If a store has several tenants, each has a separate seed. */
export const seed = 'growth'
export const seedOfTenant = (index: number): string => `${seed}-${index}`

const sha256 = (text: string) => createHash('sha256').update(text)

/** A GUID that depends only on the seed and a name. */
export function guidOf(seed: string, name: string): string {
  const hex = sha256(`${seed} ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The secret of a client, by its index from 0. */
export const secretOf = (seed: string, index: number): string =>
  sha256(`${seed} secret ${index}`).digest('base64url')

/** The display name of a client, by its index from 0. */
export const nameOf = (index: number): string => `Client ${String(index).padStart(7, '0')}`

/** The IDs that a load generator needs. */
export const idsOf = (seed: string) => ({
  tenantId: guidOf(seed, 'tenant'),
  apiAppId: guidOf(seed, 'api app'),
  rolesApiAppId: guidOf(seed, 'roles api app'),
  clientIdOf: (index: number) => guidOf(seed, `client app ${index}`),
})

const at = new Date()
const twoYearsMs = 2 * 365 * 86_400_000
const applicationsPerCommit = 2000
const tenantsPerCommit = 500
const recordsPerAppend = 5000
/** Between two audit records: a million records take about 28 hours. */
const auditStepMs = 100
const requested = 4

/** Writes the content of a store, except the tenant itself: clients of one API, and records of the sign-in log. */
export async function seedStore(storage: Storage, applications: number, audit: number) {
  if (applications > 0) {
    const commit = await commitsTo(storage)
    await commit(tenantChanges(seed))
    for (const indexes of batches(applications, applicationsPerCommit))
      await commit(indexes.flatMap((index) => clientChanges(seed, index)))
  }
  for (const indexes of batches(audit, recordsPerAppend)) {
    const records = indexes.map((index) => auditRecordAt(index, audit))
    await storage.audit.append('signIns', records)
    await nextTurn()
  }
}

/**
 * Adds tenants, each with an API and one client. Each tenant is made from the seed that
 * `seedOfTenant` returns for its index.
 */
export async function seedTenants(storage: Storage, tenants: number) {
  const commit = await commitsTo(storage)
  for (const indexes of batches(tenants, tenantsPerCommit)) {
    const seeds = indexes.map(seedOfTenant)
    await commit(seeds.flatMap((one) => [...tenantChanges(one), ...clientChanges(one, 0)]))
  }
}

/** Adds an API with many roles. `assigned` returns how many of them a client gets, by its index. */
export async function seedRoles(storage: Storage, roles: number, assigned: readonly number[]) {
  const commit = await commitsTo(storage)
  await commit(apiChanges(seed, 'roles api', roles))
  for (const [client, length] of assigned.entries())
    await commit(Array.from({ length }, (_, role) => assignment(seed, 'roles api', role, client)))
}

/** The numbers from 0 to a total, in lists of at most some size. */
function* batches(total: number, size: number): Generator<number[]> {
  for (let start = 0; start < total; start += size)
    yield Array.from({ length: Math.min(size, total - start) }, (_, index) => start + index)
}

/** Writes commits to the directory, one after another. */
async function commitsTo(storage: Storage) {
  let base = await storage.directory.latest()
  return async (changes: readonly DirectoryChange[]) => {
    const mark = guidOf(seed, `commit ${base.revision}`)
    const commit = await storage.directory.commit(base, mark, changes, [])
    if (commit === 'conflict')
      throw new Error('another process changed the directory while it was seeded')
    base = commit
    // SQLite works in this thread. Without a turn of the event loop, Ctrl-C would wait for the end.
    await nextTurn()
  }
}

/** A tenant, and an API with one role. */
const tenantChanges = (seed: string): DirectoryChange[] => [
  put(
    'tenant',
    newTenant({
      id: guidOf(seed, 'tenant'),
      displayName: 'Growth',
      domains: [`${seed}.example`],
      createdDateTime: at,
    }),
  ),
  ...apiChanges(seed, 'api', 1),
]

const apiChanges = (seed: string, api: string, roles: number): DirectoryChange[] =>
  applicationChanges(seed, api, 'Growth API', {
    appRoles: Array.from({ length: roles }, (_, role) => ({
      id: guidOf(seed, `${api} role ${role}`),
      allowedMemberTypes: ['Application'],
      description: 'Call the API',
      displayName: 'Call',
      isEnabled: true,
      value: `Growth.Call.${String(role).padStart(4, '0')}`,
    })),
  })

/** A client with a secret, and with the role of the first API. Each second one is an API by its identifier URI. */
function clientChanges(seed: string, index: number): DirectoryChange[] {
  const secret = secretOf(seed, index)
  const credential = {
    keyId: guidOf(seed, `key ${index}`),
    displayName: null,
    hint: secret.slice(0, 3),
    startDateTime: at,
    endDateTime: new Date(at.getTime() + twoYearsMs),
    secretSha256: secretSha256(secret),
  }
  return [
    ...applicationChanges(
      seed,
      'client',
      nameOf(index),
      { passwordCredentials: [credential], ...(index % 2 === 0 && { identifierUris: [] }) },
      ` ${index}`,
    ),
    assignment(seed, 'api', 0, index),
  ]
}

/** An application, and its service principal. */
function applicationChanges(
  seed: string,
  kind: string,
  displayName: string,
  properties: Partial<Parameters<typeof newApplication>[0]>,
  index = '',
): DirectoryChange[] {
  const tenantId = guidOf(seed, 'tenant')
  const appId = guidOf(seed, `${kind} app${index}`)
  const newGuid = () => guidOf(seed, `${kind} principal${index}`)
  const principal = newServicePrincipal(
    tenantId,
    { appId, displayName },
    { newGuid, now: () => at, randomBytes: () => new Uint8Array() },
  )
  const named = { id: guidOf(seed, `${kind}${index}`), tenantId, appId, displayName }
  const identifierUris = [`api://${appId}`]
  return [
    put(
      'application',
      newApplication({ ...named, createdDateTime: at, identifierUris, ...properties }),
    ),
    put('servicePrincipal', principal),
  ]
}

const assignment = (seed: string, api: string, role: number, client: number) =>
  put('appRoleAssignment', {
    id: sha256(`${seed} ${api} ${role} ${client}`).digest('base64url'),
    tenantId: guidOf(seed, 'tenant'),
    principalId: guidOf(seed, `client principal ${client}`),
    resourceId: guidOf(seed, `${api} principal`),
    appRoleId: guidOf(seed, `${api} role ${role}`),
    createdDateTime: at,
  })

/**
 * The audit record at an index. A third of the records is of one busy client; the others are of 500
 * clients, so that each has 1 in 750. One record in 50 is a refusal.
 */
function auditRecordAt(index: number, total: number): AuditRecord {
  const number = sha256(`${seed} record ${index}`).digest().readUInt32BE()
  const client = number % 3 === 0 ? 0 : 1 + (Math.floor(number / 3) % 500)
  const isRefused = number % 50 === 7
  return {
    at: new Date(at.getTime() - (total - 1 - index) * auditStepMs),
    tenantId: guidOf(seed, 'tenant'),
    actor: guidOf(seed, `client app ${client}`),
    action: 'token.issue',
    target: guidOf(seed, `target ${number % requested}`),
    outcome: isRefused ? 'refused' : 'done',
    reason: isRefused ? 'scope_invalid' : null,
    correlationId: guidOf(seed, `correlation ${index}`),
  }
}
