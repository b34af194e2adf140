import { type Kysely, sql } from 'kysely'
import type { Known } from '../../../live/commit.ts'
import type { CommittedChange, DirectoryKind } from '../../../model/directory-change.ts'
import { directoryTables } from '../rows/directory-tables.ts'
import { objectsOf } from '../rows/object-queries.ts'
import type { Tables } from '../rows/tables.ts'
import { latestIn, maxCommitsBehind } from './directory-commits.ts'

/** A follower applies at most this many changes. Beyond it, a new start is cheaper. */
const maxChanges = 1000
const removalsPerDeletion = 1000
/** A follower that is further behind takes the store for one that was rolled back, and starts again. */
const marksKept = 100_000
/**
 * The number of revisions for which removed objects are recorded, which is more than a follower may
 * be behind. Clients follow changes of two kinds by marks, as long as there are marks.
 */
export const removalsKept: { readonly [Kind in DirectoryKind]: number } = {
  tenant: 2 * maxCommitsBehind,
  application: marksKept,
  servicePrincipal: marksKept,
  appRoleAssignment: 2 * maxCommitsBehind,
}
const marksPerDeletion = 10_000

/**
 * The latest state of all objects that changed in commits which a follower does not know.
 *
 * @returns undefined when too much changed, or the records of removed objects may be deleted already
 */
export async function changedObjects(
  db: Kysely<Tables>,
  { missing = [], revision }: Known,
): Promise<CommittedChange[] | undefined> {
  const changes: CommittedChange[] = []
  const isNew =
    missing.length === 0
      ? sql`revision > ${revision}`
      : sql`(revision > ${revision} or revision in (${sql.join(missing)}))`
  for (const [kind, { table }] of Object.entries(directoryTables)) {
    const { rows } = await sql<never>`
      select * from ${sql.table(table)} where ${isNew} limit ${maxChanges + 1 - changes.length}
    `.execute(db)
    changes.push(...(await objectsOf(db, kind as DirectoryKind, rows)))
    if (changes.length > maxChanges) return undefined
  }
  const { rows: removed } = await sql<{ kind: DirectoryKind; id: string; mark: string }>`
    select kind, id, '' as mark from removed_object
    where ${isNew} limit ${maxChanges + 1 - changes.length}
  `.execute(db)
  for (const row of removed) changes.push({ ...row, value: null } as CommittedChange)
  return changes.length > maxChanges ? undefined : changes
}

/**
 * Deletes one batch of the records of removed objects that no follower needs.
 *
 * @returns whether there may be more
 */
export async function pruneRemovals(db: Kysely<Tables>): Promise<boolean> {
  const { revision: number } = await latestIn(db)
  let mayHaveMore = false
  for (const [kind, kept] of Object.entries(removalsKept)) {
    const { numDeletedRows } = await db
      .deleteFrom('removed_object')
      .where('kind', '=', kind)
      .where('id', 'in', (from) =>
        from
          .selectFrom('removed_object')
          .select('id')
          .where('kind', '=', kind)
          .where('revision', '<=', number - kept)
          .limit(removalsPerDeletion),
      )
      .executeTakeFirst()
    mayHaveMore ||= Number(numDeletedRows) === removalsPerDeletion
  }
  return mayHaveMore
}

/**
 * Deletes one batch of the commit marks that are no follower's latest mark.
 *
 * @returns whether there may be more
 */
export async function pruneMarks(db: Kysely<Tables>): Promise<boolean> {
  const { revision: number } = await latestIn(db)
  const { numDeletedRows } = await db
    .deleteFrom('commit_mark')
    .where('log', '=', 'directory')
    .where('revision', 'in', (from) =>
      from
        .selectFrom('commit_mark')
        .select('revision')
        .where('log', '=', 'directory')
        .where('revision', '<=', number - marksKept)
        .orderBy('revision')
        .limit(marksPerDeletion),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === marksPerDeletion
}
