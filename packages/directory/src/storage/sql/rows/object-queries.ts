import { type Kysely, sql } from 'kysely'
import type { CommittedChange, DirectoryKind } from '../../../model/directory-change.ts'
import { applicationFromRows, type partTables } from './application-rows.ts'
import { directoryTables } from './directory-tables.ts'
import { appRoleAssignmentRows, tenantRows } from './entity-rows.ts'
import { inParts, rowsOf } from './list-parameter.ts'
import { servicePrincipalFromRow } from './service-principal-row.ts'
import { rowsOfTenant, storedTables } from './stored-tables.ts'
import type {
  ApplicationRow,
  AppRoleAssignmentRow,
  ServicePrincipalRow,
  Tables,
  TenantRow,
} from './tables.ts'

type Rows = {
  tenant: TenantRow
  application: ApplicationRow
  servicePrincipal: ServicePrincipalRow
  appRoleAssignment: AppRoleAssignmentRow
}

/** Creates objects from rows. An application also needs the rows of its parts. */
export async function objectsOf<Kind extends DirectoryKind>(
  db: Kysely<Tables>,
  kind: Kind,
  rows: readonly Rows[Kind][],
): Promise<CommittedChange[]> {
  const make = objectMakers[kind] as unknown as (
    db: Kysely<Tables>,
    rows: readonly Rows[Kind][],
  ) => Promise<CommittedChange[]> | CommittedChange[]
  return rows.length === 0 ? [] : make(db, rows)
}

const objectMakers: {
  readonly [Kind in DirectoryKind]: (
    db: Kysely<Tables>,
    rows: readonly Rows[Kind][],
  ) => Promise<CommittedChange[]> | CommittedChange[]
} = {
  tenant: (_, rows) =>
    rows.map((row) => ({ ...committed(row), kind: 'tenant', value: tenantRows.fromRow(row) })),
  application: applicationsOf,
  servicePrincipal: (_, rows) =>
    rows.map((row) => ({
      ...committed(row),
      kind: 'servicePrincipal',
      value: servicePrincipalFromRow(row),
    })),
  appRoleAssignment: (_, rows) =>
    rows.map((row) => ({
      ...committed(row),
      kind: 'appRoleAssignment',
      value: appRoleAssignmentRows.fromRow(row),
    })),
}

const committed = ({ id, mark }: { readonly id: string; readonly mark: string }) => ({ id, mark })

async function applicationsOf(
  db: Kysely<Tables>,
  rows: readonly ApplicationRow[],
): Promise<CommittedChange[]> {
  const ids = rows.map(({ id }) => id)
  const [roles, passwords, keys, federated] = [
    await partsOf(db, 'app_role', ids),
    await partsOf(db, 'password_credential', ids),
    await partsOf(db, 'key_credential', ids),
    await partsOf(db, 'federated_identity_credential', ids),
  ]
  return rows.map((application) => ({
    ...committed(application),
    kind: 'application',
    value: applicationFromRows({
      application,
      app_role: roles.get(application.id) ?? [],
      password_credential: passwords.get(application.id) ?? [],
      key_credential: keys.get(application.id) ?? [],
      federated_identity_credential: federated.get(application.id) ?? [],
    }),
  }))
}

const partStatement =
  (table: (typeof partTables)[number]) => (db: Kysely<Tables>, ids: readonly string[]) => ({
    compile: () =>
      sql<never>`
        select * from ${sql.table(table)} where application_id in (${sql.join(ids)})
        order by application_id, position
      `.compile(db),
  })

const partStatements = {
  app_role: partStatement('app_role'),
  password_credential: partStatement('password_credential'),
  key_credential: partStatement('key_credential'),
  federated_identity_credential: partStatement('federated_identity_credential'),
}

/** The parts of applications, by application, in their order. */
async function partsOf<Table extends (typeof partTables)[number]>(
  db: Kysely<Tables>,
  table: Table,
  ids: readonly string[],
): Promise<Map<string, Tables[Table][]>> {
  const parts = await inParts(ids, (some) => rowsOf(db, partStatements[table], some))
  return Map.groupBy<string, Tables[Table]>(parts, ({ application_id }) => application_id)
}

/** All objects of a tenant in their latest state, including the tenant itself and deleted objects. */
export async function objectsOfTenant(
  db: Kysely<Tables>,
  tenantId: string,
): Promise<CommittedChange[]> {
  const objects: CommittedChange[] = []
  for (const [kind, { table }] of Object.entries(directoryTables))
    for (const stored of storedTables.filter(({ name }) => name === table)) {
      const { rows } = await rowsOfTenant<never>(stored, tenantId).execute(db)
      for (const one of await objectsOf(db, kind as DirectoryKind, rows)) objects.push(one)
    }
  return objects
}
