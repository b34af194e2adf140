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

/** The changes that take a tenant back, in words too. */
export type TenantChanges = {
  readonly changes: readonly DirectoryChange[]
  /** A line for each object. */
  readonly lines: readonly string[]
  readonly summary: string
}

/** An object of a tenant. */
export type Present = {
  [Kind in DirectoryKind]: {
    readonly kind: Kind
    readonly id: string
    readonly value: DirectoryObjects[Kind]
  }
}[DirectoryKind]

type Value = Present['value']

/**
 * Decides the changes that take a tenant back to the objects of a backup.
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
  const { present, lost } = await splitLost(inBackup, elsewhere)
  const after = [...present, ...(await keptIn(before, present, elsewhere, now))]
  await requireFree(before, after, elsewhere)
  const kept = new Set(after.map(keyOf))
  const changed = after.filter((one) => !isDeepStrictEqual(known.get(keyOf(one)), one.value))
  const removed = before.filter((one) => !kept.has(keyOf(one)))
  const created = changed.filter((one) => !known.has(keyOf(one)))
  const lines = changed.map((one) => {
    const value = known.get(keyOf(one))
    const again = returned(one.value, value, now).map((id) => `, credential ${id} in force again`)
    return `${value === undefined ? 'created' : 'changed'}: ${nameOf(one)}${again.join('')}`
  })
  const credentials = changed.flatMap((one) => returned(one.value, known.get(keyOf(one)), now))
  const assignments = created.filter(({ kind }) => kind === 'appRoleAssignment')
  return {
    changes: [...changed, ...removed.map(({ kind, id }) => remove(kind, id))],
    lines: [
      ...lines,
      ...removed.map((one) => `removed: ${nameOf(one)}`),
      ...lost.map((one) => `left out: ${nameOf(one)}, because its application is gone`),
    ],
    summary:
      `${created.length} created, ${changed.length - created.length} changed, ${removed.length} removed; ` +
      `in force again: ${credentials.length} credentials, ${assignments.length} assignments`,
  }
}

const keyOf = ({ kind, id }: Present) => `${kind} ${id}`

const nameOf = ({ kind, id, value }: Present) => {
  const name = 'displayName' in value ? ` (${value.displayName})` : ''
  const isDeleted = 'deletedDateTime' in value && value.deletedDateTime !== null
  return `${kind} ${id}${name}${isDeleted ? ', deleted' : ''}`
}

/** The credentials of an object that are valid now, and that it did not have. */
function returned(value: Value, before: Value | undefined, now: Date): readonly string[] {
  const had = new Set(before && credentialsIn(before).map(({ id }) => id))
  return credentialsIn(value).flatMap(({ id, end }) =>
    had.has(id) || (end !== undefined && end <= now) ? [] : id,
  )
}

const credentialsIn = (value: Value): readonly { readonly id: string; readonly end?: Date }[] =>
  'keyCredentials' in value
    ? [
        ...[...value.passwordCredentials, ...value.keyCredentials].map((one) => ({
          id: one.keyId,
          end: one.endDateTime,
        })),
        ...('federatedIdentityCredentials' in value ? value.federatedIdentityCredentials : []),
      ]
    : []

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

/** The objects of some kind. */
const valuesOf = <Kind extends DirectoryKind>(objects: readonly Present[], kind: Kind) =>
  objects.flatMap((one) => (one.kind === kind ? [one.value as DirectoryObjects[Kind]] : []))

/** Parts the objects from those whose application, of another tenant, was purged since the backup. */
async function splitLost(inBackup: readonly Present[], elsewhere: Elsewhere) {
  const principals = valuesOf(inBackup, 'servicePrincipal').map((one) => ({
    id: one.id,
    appId: one.agentIdentityBlueprintId ?? one.appId,
  }))
  const own = new Set(valuesOf(inBackup, 'application').map(({ appId }) => appId))
  const foreign = principals.flatMap(({ appId }) => (own.has(appId) ? [] : appId))
  const found = new Set(
    (await elsewhere('application', 'app_id', foreign)).map((row) => row.app_id),
  )
  const lostIds = new Set(
    principals.flatMap(({ id, appId }) => (own.has(appId) || found.has(appId) ? [] : id)),
  )
  const isLost = (one: Present) =>
    lostIds.has(one.id) ||
    (one.kind === 'appRoleAssignment' &&
      (lostIds.has(one.value.principalId) || lostIds.has(one.value.resourceId)))
  return { present: inBackup.filter((one) => !isLost(one)), lost: inBackup.filter(isLost) }
}

/**
 * The objects that stay although the backup lacks them: the service principals of the server's own APIs, and
 * the applications that other tenants use. Only a purge removes the service principals of those, so they
 * become deleted ones, without the names that the backup may need.
 */
async function keptIn(
  before: readonly Present[],
  present: readonly Present[],
  elsewhere: Elsewhere,
  now: Date,
): Promise<readonly Present[]> {
  const inBackup = new Set(present.map(keyOf))
  const lacking = before.filter((one) => !inBackup.has(keyOf(one)))
  const appIds = new Set(valuesOf(present, 'servicePrincipal').map(({ appId }) => appId))
  const builtIn = builtInApiAppIds.filter((appId) => !appIds.has(appId))
  const candidates = valuesOf(lacking, 'application').map(({ appId }) => appId)
  const used = new Set(
    [
      ...(await elsewhere('service_principal', 'app_id', candidates)),
      ...(await elsewhere('service_principal', 'agent_blueprint_id', candidates)),
    ].flatMap((row) => [row.app_id, row.agent_blueprint_id]),
  )
  return [
    ...lacking.filter(
      (one) => one.kind === 'servicePrincipal' && builtIn.includes(one.value.appId),
    ),
    ...valuesOf(lacking, 'application')
      .filter(({ appId }) => used.has(appId))
      .map((value): Present => {
        const deletedDateTime = value.deletedDateTime ?? now
        const left: Application = {
          ...value,
          deletedDateTime,
          identifierUris: [],
          uniqueName: null,
        }
        return { kind: 'application', id: value.id, value: left }
      }),
  ]
}

/** Requires that no other tenant has what names a tenant or its objects. */
async function requireFree(
  before: readonly Present[],
  after: readonly Present[],
  elsewhere: Elsewhere,
): Promise<void> {
  const conflict = (sentence: string) => new BackupError('tenant_conflict', sentence)
  const applications = valuesOf(after, 'application')
  const principals = valuesOf(after, 'servicePrincipal')
  const administers = (one: { readonly appId: string }) => one.appId === serverManagementAppId
  if (principals.some(administers) && !valuesOf(before, 'servicePrincipal').some(administers))
    throw conflict(
      'the tenant of the backup administers its server, and that of the store does not',
    )
  const idsOf = (kind: DirectoryKind) => valuesOf(after, kind).map(({ id }) => id)
  const names: readonly Parameters<Elsewhere>[] = [
    ['tenant_domain', 'domain', valuesOf(after, 'tenant').flatMap(({ domains }) => domains)],
    ['application', 'id', idsOf('application')],
    ['application', 'app_id', applications.map(({ appId }) => appId)],
    ['service_principal', 'id', idsOf('servicePrincipal')],
    ['app_role_assignment', 'id', idsOf('appRoleAssignment')],
  ]
  for (const [table, column, values] of names)
    for (const row of await elsewhere(table, column, values))
      throw conflict(`the ${column} ${row[column]} is of the tenant ${row.tenant_id} now`)
  // A name of an API is unique among the APIs that a tenant knows.
  const uris = applications.flatMap((one) => one.identifierUris.map((uri) => uri.toLowerCase()))
  const taken = await elsewhere('identifier_uri', 'uri_key', uris)
  const knownIds = new Set(principals.map(({ appId }) => appId))
  for (const { app_id = '', id, tenant_id, deleted_at } of await elsewhere(
    'application',
    'id',
    taken.map((row) => row.application_id ?? ''),
  )) {
    const name = taken.find((row) => row.application_id === id)?.uri_key
    if (knownIds.has(app_id) && deleted_at === null)
      throw conflict(`the identifier URI ${name} is of the tenant ${tenant_id} now`)
  }
}
