import { isDeepStrictEqual } from 'node:util'
import {
  type Application,
  builtInApiAppIds,
  type DirectoryChange,
  type DirectoryKind,
  type DirectoryObjects,
  remove,
  serverManagementAppId,
} from '@greeting/directory'
import { inParts, objectsOfTenant, type Tables } from '@greeting/directory/database'
import { type Kysely, sql } from 'kysely'
import { BackupError } from './backup-error.ts'

/** The changes that restore a tenant, as changes and in words: a line for each object, and a summary. */
export type TenantChanges = {
  readonly changes: readonly DirectoryChange[]
  readonly lines: readonly string[]
  readonly summary: string
}

/** An object of a tenant that exists now. */
export type Present = {
  [Kind in DirectoryKind]: {
    readonly kind: Kind
    readonly id: string
    readonly value: DirectoryObjects[Kind]
  }
}[DirectoryKind]

/**
 * Decides the changes that restore the objects of a tenant from a backup.
 *
 * @param db a snapshot of the store
 * @throws {BackupError} tenant_conflict when another tenant has a name of it by now
 */
export async function tenantChanges(
  db: Kysely<Tables>,
  tenantId: string,
  inBackup: readonly Present[],
  now: Date,
): Promise<TenantChanges> {
  const elsewhere = rowsElsewhere(db, tenantId)
  const before = (await objectsOfTenant(db, tenantId)) as readonly Present[]
  const known = new Map(before.map((one) => [keyOf(one), one.value]))
  const isLost = await lostIn(inBackup, elsewhere)
  const present = inBackup.filter((one) => !isLost(one))
  const after = [...present, ...(await keptIn(before, present, elsewhere, now))]
  await requireFree(before, after, elsewhere)

  const wanted = new Set(after.map(keyOf))
  const removed = before.filter((one) => !wanted.has(keyOf(one)))
  const written = after
    .filter((one) => !isDeepStrictEqual(known.get(keyOf(one)), one.value))
    .map((one) => {
      const had = known.get(keyOf(one))
      const ids = new Set(credentialsIn(had, now))
      return { one, had, again: credentialsIn(one.value, now).filter((id) => !ids.has(id)) }
    })
  const created = written.filter(({ had }) => had === undefined)
  const assignments = created.filter(({ one }) => one.kind === 'appRoleAssignment')
  const credentials = written.flatMap(({ again }) => again)
  return {
    // What is removed grants nothing any more while the rest is written.
    changes: [
      ...removed.toReversed().map(({ kind, id }) => remove(kind, id)),
      ...written.map(({ one }) => one),
    ],
    lines: [
      ...removed.map((one) => `removed: ${nameOf(one)}`),
      ...written.map(({ one, had, again }) =>
        [
          `${had === undefined ? 'created' : 'changed'}: ${nameOf(one)}`,
          ...again.map((id) => `credential ${id} is valid again`),
        ].join(', '),
      ),
      ...inBackup.filter(isLost).map((one) => `left out: ${nameOf(one)}, its application is gone`),
    ],
    summary:
      `${created.length} created, ${written.length - created.length} changed, ${removed.length} removed; ` +
      `${credentials.length} credentials and ${assignments.length} assignments are valid again`,
  }
}

const keyOf = ({ kind, id }: Present) => `${kind} ${id}`

function nameOf({ kind, id, value }: Present): string {
  const { displayName, deletedDateTime }: Partial<Application> = value
  const name = displayName === undefined ? '' : ` (${displayName})`
  return `${kind} ${id}${name}${deletedDateTime ? ', deleted' : ''}`
}

/** The IDs of the credentials of an object that are valid now or later. */
const credentialsIn = (value: Partial<Application> | undefined, now: Date): readonly string[] => [
  ...[...(value?.passwordCredentials ?? []), ...(value?.keyCredentials ?? [])]
    .filter(({ endDateTime }) => endDateTime > now)
    .map(({ keyId }) => keyId),
  ...(value?.federatedIdentityCredentials ?? []).map(({ id }) => id),
]

type Row = Readonly<Record<string, string>>
type Elsewhere = (table: keyof Tables, column: string, values: readonly string[]) => Promise<Row[]>

/** Finds the rows of other tenants that have one of some values. */
const rowsElsewhere =
  (db: Kysely<Tables>, tenantId: string): Elsewhere =>
  (table, column, values) =>
    inParts(values, async (some) => {
      const { rows } = await sql<Row>`select * from ${sql.table(table)}
        where ${sql.ref(column)} in (${sql.join(some)}) and tenant_id <> ${tenantId}`.execute(db)
      return rows
    })

const valuesOf = <Kind extends DirectoryKind>(objects: readonly Present[], kind: Kind) =>
  objects.flatMap((one) => (one.kind === kind ? [one.value as DirectoryObjects[Kind]] : []))

/** Finds the service principals whose application, of another tenant, was purged since the backup. */
async function lostIn(inBackup: readonly Present[], elsewhere: Elsewhere) {
  const own = valuesOf(inBackup, 'application').map(({ appId }) => appId)
  const principals = valuesOf(inBackup, 'servicePrincipal').map((one) => ({
    id: one.id,
    appId: one.agentIdentityBlueprintId ?? one.appId,
  }))
  const appIds = new Set(principals.map(({ appId }) => appId)).difference(new Set(own))
  const found = await elsewhere('application', 'app_id', [...appIds])
  for (const { app_id = '' } of found) appIds.delete(app_id)
  const ids = new Set(principals.flatMap(({ id, appId }) => (appIds.has(appId) ? id : [])))
  return ({ id, kind, value }: Present): boolean =>
    ids.has(id) ||
    (kind === 'appRoleAssignment' && (ids.has(value.principalId) || ids.has(value.resourceId)))
}

/**
 * What stays although the backup lacks it: the service principals of the server's own APIs, and applications
 * that other tenants use. Only a purge removes the service principals there, so they become deleted ones,
 * without the names that the backup may need.
 */
async function keptIn(
  before: readonly Present[],
  present: readonly Present[],
  elsewhere: Elsewhere,
  now: Date,
): Promise<readonly Present[]> {
  const inBackup = new Set(present.map(keyOf))
  const lacking = before.filter((one) => !inBackup.has(keyOf(one)))
  const appIds = valuesOf(present, 'servicePrincipal').map(({ appId }) => appId)
  const builtIn = new Set(builtInApiAppIds).difference(new Set(appIds))
  const candidates = valuesOf(lacking, 'application').map(({ appId }) => appId)
  const principals = await elsewhere('service_principal', 'app_id', candidates)
  const agents = await elsewhere('service_principal', 'agent_blueprint_id', candidates)
  const used = new Set([
    ...principals.map((row) => row.app_id),
    ...agents.map((row) => row.agent_blueprint_id),
  ])
  return lacking.flatMap((one): Present[] => {
    if (one.kind === 'servicePrincipal' && builtIn.has(one.value.appId)) return [one]
    if (one.kind !== 'application' || !used.has(one.value.appId)) return []
    const deletedDateTime = one.value.deletedDateTime ?? now
    return [
      { ...one, value: { ...one.value, deletedDateTime, identifierUris: [], uniqueName: null } },
    ]
  })
}

/** Requires that no other tenant has the names and IDs of a tenant and its objects. */
async function requireFree(
  before: readonly Present[],
  after: readonly Present[],
  elsewhere: Elsewhere,
): Promise<void> {
  const conflict = (sentence: string) => new BackupError('tenant_conflict', sentence)
  const applications = valuesOf(after, 'application')
  const [hadApis, appIds] = [before, after].map(
    (objects) => new Set(valuesOf(objects, 'servicePrincipal').map(({ appId }) => appId)),
  )
  if (appIds?.has(serverManagementAppId) && !hadApis?.has(serverManagementAppId))
    throw conflict(
      'the tenant of the backup administers its server, and that of the store does not',
    )
  const idsOf = (kind: DirectoryKind) => valuesOf(after, kind).map(({ id }) => id)
  for (const [table, column, values] of [
    ['tenant_domain', 'domain', valuesOf(after, 'tenant').flatMap(({ domains }) => domains)],
    ['application', 'app_id', applications.map(({ appId }) => appId)],
    ['application', 'id', idsOf('application')],
    ['service_principal', 'id', idsOf('servicePrincipal')],
    ['app_role_assignment', 'id', idsOf('appRoleAssignment')],
  ] as const)
    for (const row of await elsewhere(table, column, values))
      throw conflict(`the ${column} ${row[column]} is of the tenant ${row.tenant_id} now`)
  // A name of an API is unique among the APIs that a tenant knows.
  const uris = applications.flatMap((one) => one.identifierUris.map((uri) => uri.toLowerCase()))
  const taken = await elsewhere('identifier_uri', 'uri_key', uris)
  const ids = taken.map(({ application_id = '' }) => application_id)
  for (const row of await elsewhere('application', 'id', ids))
    if (appIds?.has(row.app_id ?? '') && row.deleted_at === null)
      throw conflict(
        `an identifier URI is of the application ${row.app_id} of the tenant ${row.tenant_id} now`,
      )
}
