import type { Kysely } from 'kysely'
import type { CommittedChange, DirectoryKind } from '../../../model/directory-change.ts'
import { directoryTables } from '../rows/directory-tables.ts'
import { objectsOf } from '../rows/object-queries.ts'
import { rowsOfTenant, storedTables } from '../rows/stored-tables.ts'
import type { Tables } from '../rows/tables.ts'

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
