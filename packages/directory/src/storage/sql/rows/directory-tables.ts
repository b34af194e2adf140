import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type {
  DirectoryChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../../model/directory-change.ts'
import { applicationToRows } from './application-rows.ts'
import { appRoleAssignmentRows, tenantRows } from './entity-rows.ts'
import { insertRows } from './insert-rows.ts'
import { padded, rowsOf } from './list-parameter.ts'
import { servicePrincipalCredentialRows, servicePrincipalToRow } from './service-principal-row.ts'
import type { Tables } from './tables.ts'

/** The columns of the commit that writes an object. */
export type CommitColumns = { readonly revision: RawBuilder<number>; readonly mark: string }

type Parts = Readonly<Partial<Record<keyof Tables, readonly object[]>>>

/** How objects of one kind are written. */
type KindOfRows<Kind extends DirectoryKind> = {
  readonly table: 'tenant' | 'application' | 'service_principal' | 'app_role_assignment'
  toRows(value: DirectoryObjects[Kind]): { readonly row: object; readonly parts?: Parts }
}

export const directoryTables: { readonly [Kind in DirectoryKind]: KindOfRows<Kind> } = {
  tenant: {
    table: 'tenant',
    toRows: (tenant) => ({
      row: tenantRows.toRow(tenant),
      parts: {
        tenant_domain: [...new Set(tenant.domains)].map((domain) => ({
          tenant_id: tenant.id,
          domain,
        })),
      },
    }),
  },
  application: {
    table: 'application',
    toRows: (value) => {
      const { application: row, ...parts } = applicationToRows(value)
      return { row, parts }
    },
  },
  servicePrincipal: {
    table: 'service_principal',
    toRows: (value) => ({
      row: servicePrincipalToRow(value),
      parts: { service_principal_credential: servicePrincipalCredentialRows(value) },
    }),
  },
  appRoleAssignment: {
    table: 'app_role_assignment',
    toRows: (value) => ({ row: appRoleAssignmentRows.toRow(value) }),
  },
}

const kinds = Object.keys(directoryTables) as DirectoryKind[]
/** The changes that one statement writes at most. */
const changesPerPart = 64

/** Writes changes, all changes of one kind together. If one object changes several times, the last change counts. */
export async function writeChanges(
  db: Transaction<Tables>,
  changes: readonly DirectoryChange[],
  commit: CommitColumns,
): Promise<void> {
  const latest = [...new Map(changes.map((one) => [`${one.kind} ${one.id}`, one])).values()]
  for (let start = 0; start < latest.length; start += changesPerPart) {
    const part = latest.slice(start, start + changesPerPart)
    for (const kind of kinds) {
      const some = part.filter((one) => one.kind === kind)
      if (some.length > 0) await writeKind(db, kind, some, commit)
    }
  }
}

async function writeKind(
  db: Transaction<Tables>,
  kind: DirectoryKind,
  changes: readonly DirectoryChange[],
  { mark, revision }: CommitColumns,
): Promise<void> {
  const { table, toRows } = directoryTables[kind]
  const { count, forget, remove, removeParts } = statements[kind]
  const ids = padded(changes.map(({ id }) => id))
  await rowsOf(db, forget, ids)
  // Before the objects themselves, which have the tenants.
  const removed = changes.flatMap(({ id, value }) => (value === null ? [id] : []))
  if (removed.length > 0)
    await sql`insert into removed_object (kind, id, revision, tenant_id)
      select ${sql.lit(kind)}, id, ${revision}, ${sql.ref(kind === 'tenant' ? 'id' : 'tenant_id')}
      from ${sql.table(table)} where id in (${sql.join(removed)})`.execute(db)
  if (count !== undefined) {
    const tenants = (isActive: boolean) =>
      ids.map((_, index) => countedIn(changes[index], isActive))
    await rowsOf(db, count, [...ids, ...tenants(true), ...tenants(false)])
  }
  if (removeParts !== undefined) await rowsOf(db, removeParts, ids)
  await rowsOf(db, remove, ids)
  const written = changes.flatMap(({ value }) => (value === null ? [] : [toRows(value as never)]))
  await insertRows(
    db,
    table,
    written.map(({ row }) => ({ ...row, mark })),
    (rows) => db.insertInto(table).values(rows.map((row) => ({ ...row, revision })) as never),
  )
  for (const name of Object.keys(written[0]?.parts ?? {}) as (keyof Tables)[])
    await insertRows(
      db,
      name,
      written.flatMap(({ parts }) => parts?.[name] ?? []),
      (rows) => db.insertInto(name).values(rows as never),
    )
}

/** The tenant that counts an object after its change; empty when none does. */
const countedIn = (change: DirectoryChange | undefined, isActive: boolean): string =>
  (change?.kind === 'application' || change?.kind === 'servicePrincipal') &&
  change.value !== null &&
  (!isActive || change.value.deletedDateTime === null)
    ? change.value.tenantId
    : ''

type Ids = readonly string[]
const statement =
  (textOf: (parameters: Ids) => RawBuilder<unknown>) => (db: Kysely<Tables>, parameters: Ids) => ({
    compile: () => textOf(parameters).compile(db),
  })

/** The statements for the objects of a kind, whose IDs are the parameters. */
const statementsFor = (kind: DirectoryKind) => {
  const table = sql.table(directoryTables[kind].table)
  return {
    forget: statement(
      (ids) =>
        sql`delete from removed_object where kind = ${sql.lit(kind)} and id in (${sql.join(ids)})`,
    ),
    remove: statement((ids) => sql`delete from ${table} where id in (${sql.join(ids)})`),
    removeParts:
      kind === 'tenant'
        ? statement((ids) => sql`delete from tenant_domain where tenant_id in (${sql.join(ids)})`)
        : undefined,
    // After the IDs, the parameters are the tenants that count the objects from now on: the active ones, and all.
    count:
      kind === 'application' || kind === 'servicePrincipal'
        ? statement((parameters) => {
            const count = parameters.length / 3
            const ids = parameters.slice(0, count)
            const active = parameters.slice(count, 2 * count)
            const all = parameters.slice(2 * count)
            const own = sql.lit(directoryTables[kind].table)
            const after = [
              ...active.map((tenantId) => sql`(${tenantId}, ${own}, 1)`),
              ...all.map((tenantId) => sql`(${tenantId}, 'object', 1)`),
            ]
            return sql`
              with before as (
                select tenant_id, deleted_at from ${table} where id in (${sql.join(ids)})
              )
              insert into directory_count (tenant_id, kind, number)
              select tenant_id, kind, cast(sum(number) as integer)
              from (
                select tenant_id, ${own} as kind, -1 as number from before where deleted_at is null
                union all select tenant_id, 'object', -1 from before
                union all values ${sql.join(after)}
              ) as counted
              where tenant_id <> ''
              group by tenant_id, kind having sum(number) <> 0
              on conflict (tenant_id, kind) do update
              set number = directory_count.number + excluded.number
            `
          })
        : undefined,
  }
}

const statements = Object.fromEntries(kinds.map((kind) => [kind, statementsFor(kind)])) as Readonly<
  Record<DirectoryKind, ReturnType<typeof statementsFor>>
>
