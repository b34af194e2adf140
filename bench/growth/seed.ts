import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditRecord } from '../../packages/directory/src/audit/audit-record.ts'
import { newApplication } from '../../packages/directory/src/model/application/application.ts'
import { secretSha256 } from '../../packages/directory/src/model/application/password-credential.ts'
import { type DirectoryChange, put } from '../../packages/directory/src/model/directory-change.ts'
import type { Storage } from '../../packages/directory/src/storage/storage.ts'

/** A GUID that depends on the seed and a name only. */
export function guidOf(seed: string, name: string): string {
  const hex = createHash('sha256').update(`${seed} ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The secret of a client, by its index from 0. */
export const secretOf = (seed: string, index: number): string =>
  createHash('sha256').update(`${seed} secret ${index}`).digest('base64url')

/** The name of the API with many roles. */
const rolesApi = 'roles api'

/** The seed of one of several tenants, by its index from 0. */
export const seedOfTenant = (seed: string, index: number): string => `${seed}-${index}`

/** The IDs that a load generator needs. */
export const idsOf = (seed: string) => ({
  tenantId: guidOf(seed, 'tenant'),
  apiAppId: guidOf(seed, 'api app'),
  rolesApiAppId: guidOf(seed, `${rolesApi} app`),
  clientIdOf: (index: number) => guidOf(seed, `client app ${index}`),
})

/** The content of a seeded store. Equal options give equal content. */
export type SeedOptions = {
  readonly seed: string
  /** Client applications, each with a service principal, a secret and an app role assignment. */
  readonly applications: number
  /** Records of the sign-in log. */
  readonly audit: number
  /** The time of the latest audit record and of the directory. */
  readonly at: Date
}

const applicationsPerCommit = 2000
const tenantsPerCommit = 500
const recordsPerAppend = 5000
/** Between two audit records: a million records take about 28 hours. */
const auditStepMs = 100
const requested = 4

/** Writes the content through the product's own storage, in a store without this tenant. */
export async function seedStore(storage: Storage, options: SeedOptions): Promise<void> {
  await seedDirectory(storage, options)
  await seedAudit(storage, options)
}

async function seedDirectory(storage: Storage, { seed, applications, at }: SeedOptions) {
  if (applications === 0) return
  const commit = await commitsTo(storage, seed)
  await commit(tenantChanges(seed, at))
  for (let start = 0; start < applications; start += applicationsPerCommit) {
    const length = Math.min(applicationsPerCommit, applications - start)
    await commit(
      Array.from({ length }, (_, index) => clientChanges(seed, start + index, at)).flat(),
    )
  }
}

/** Adds tenants, each with an API and one client. The tenant at an index has the seed `seedOfTenant`. */
export async function seedTenants(storage: Storage, seed: string, tenants: number, at: Date) {
  const commit = await commitsTo(storage, seed)
  for (let start = 0; start < tenants; start += tenantsPerCommit) {
    const length = Math.min(tenantsPerCommit, tenants - start)
    const seeds = Array.from({ length }, (_, index) => seedOfTenant(seed, start + index))
    await commit(seeds.flatMap((one) => [...tenantChanges(one, at), ...clientChanges(one, 0, at)]))
  }
}

/** Adds an API with many roles. Each client, by its index, gets as many of them as `assigned` says. */
export async function seedRoles(
  storage: Storage,
  { seed, at }: Pick<SeedOptions, 'seed' | 'at'>,
  { roles, assigned }: { readonly roles: number; readonly assigned: readonly number[] },
) {
  const commit = await commitsTo(storage, seed)
  await commit(apiChanges(seed, rolesApi, roles, at))
  for (const [client, length] of assigned.entries()) {
    await commit(Array.from({ length }, (_, role) => assignment(seed, rolesApi, role, client, at)))
  }
}

/** Writes commits to the directory, one after another. */
async function commitsTo(storage: Storage, seed: string) {
  let base = await storage.directory.latest()
  return async (changes: readonly DirectoryChange[]) => {
    const mark = guidOf(seed, `commit ${base.revision}`)
    if ((await storage.directory.commit(base, mark, changes, [])) !== 'committed')
      throw new Error('another process changed the directory while it was seeded')
    base = { revision: base.revision + 1, mark }
    // SQLite works in this thread. Without a turn of the event loop, Ctrl-C would wait for the end.
    await nextTurn()
  }
}

/** A tenant, and an API with one role. */
const tenantChanges = (seed: string, at: Date): DirectoryChange[] => [
  put('tenant', {
    id: guidOf(seed, 'tenant'),
    displayName: 'Growth',
    domains: [`${seed}.example`],
    isEnabled: true,
    createdDateTime: at,
  }),
  ...apiChanges(seed, 'api', 1, at),
]

const apiChanges = (seed: string, api: string, roles: number, at: Date): DirectoryChange[] => [
  put(
    'application',
    newApplication({
      id: guidOf(seed, api),
      tenantId: guidOf(seed, 'tenant'),
      displayName: 'Growth API',
      appId: guidOf(seed, `${api} app`),
      createdDateTime: at,
      identifierUris: [`api://${guidOf(seed, `${api} app`)}`],
      appRoles: Array.from({ length: roles }, (_, role) => ({
        id: guidOf(seed, `${api} role ${role}`),
        allowedMemberTypes: ['Application'],
        description: 'Call the API',
        displayName: 'Call',
        isEnabled: true,
        value: `Growth.Call.${String(role).padStart(4, '0')}`,
      })),
    }),
  ),
  principal(seed, guidOf(seed, `${api} principal`), guidOf(seed, `${api} app`), 'Growth API', at),
]

/** A client with a secret, and with the role of the first API. */
function clientChanges(seed: string, index: number, at: Date): DirectoryChange[] {
  const appId = guidOf(seed, `client app ${index}`)
  const displayName = `Client ${String(index).padStart(7, '0')}`
  const secret = secretOf(seed, index)
  const endDateTime = new Date(at.getTime() + 2 * 365 * 86_400_000)
  return [
    put(
      'application',
      newApplication({
        id: guidOf(seed, `client ${index}`),
        tenantId: guidOf(seed, 'tenant'),
        appId,
        displayName,
        createdDateTime: at,
        identifierUris: [`api://${appId}`],
        passwordCredentials: [
          {
            keyId: guidOf(seed, `key ${index}`),
            displayName: null,
            hint: secret.slice(0, 3),
            startDateTime: at,
            endDateTime,
            secretSha256: secretSha256(secret),
          },
        ],
      }),
    ),
    principal(seed, guidOf(seed, `client principal ${index}`), appId, displayName, at),
    assignment(seed, 'api', 0, index, at),
  ]
}

const principal = (seed: string, id: string, appId: string, displayName: string, at: Date) =>
  put('servicePrincipal', {
    id,
    tenantId: guidOf(seed, 'tenant'),
    appId,
    displayName,
    createdDateTime: at,
    deletedDateTime: null,
    accountEnabled: true,
    appRoleAssignmentRequired: false,
    passwordCredentials: [],
    keyCredentials: [],
    delegatedConsents: [],
    ownerIds: [],
    inertProperties: {},
  })

const assignment = (seed: string, api: string, role: number, client: number, at: Date) =>
  put('appRoleAssignment', {
    id: createHash('sha256').update(`${seed} ${api} ${role} ${client}`).digest('base64url'),
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
function auditRecordAt(index: number, { seed, audit, at }: SeedOptions): AuditRecord {
  const number = createHash('sha256').update(`${seed} record ${index}`).digest().readUInt32BE()
  const client = number % 3 === 0 ? 0 : 1 + (Math.floor(number / 3) % 500)
  const isRefused = number % 50 === 7
  return {
    at: new Date(at.getTime() - (audit - 1 - index) * auditStepMs),
    tenantId: guidOf(seed, 'tenant'),
    actor: guidOf(seed, `client app ${client}`),
    action: 'token.issue',
    target: guidOf(seed, `target ${number % requested}`),
    outcome: isRefused ? 'refused' : 'done',
    reason: isRefused ? 'scope_invalid' : null,
    correlationId: guidOf(seed, `correlation ${index}`),
  }
}

async function seedAudit(storage: Storage, options: SeedOptions) {
  for (let start = 0; start < options.audit; start += recordsPerAppend) {
    const length = Math.min(recordsPerAppend, options.audit - start)
    await storage.audit.append(
      'signIns',
      Array.from({ length }, (_, index) => auditRecordAt(start + index, options)),
    )
    await nextTurn()
  }
}
