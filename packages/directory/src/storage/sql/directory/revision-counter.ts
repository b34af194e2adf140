import type { Kysely, Transaction } from 'kysely'
import type { Commit, RevisionLog } from '../../../live/commit.ts'
import { rowsOf } from '../rows/list-parameter.ts'
import type { Tables } from '../rows/tables.ts'

/** The latest commit of a log, and whether the log has the commit of a follower. */
export type Position = { readonly latest: Commit; readonly hasKnown: boolean }

const positions = (db: Kysely<Tables>, [revision, log]: readonly unknown[]) =>
  db
    .selectFrom('revision')
    .leftJoin('commit_mark as latest', (join) =>
      join
        .onRef('latest.log', '=', 'revision.log')
        .onRef('latest.revision', '=', 'revision.number'),
    )
    .leftJoin('commit_mark as known', (join) =>
      join.onRef('known.log', '=', 'revision.log').on('known.revision', '=', revision as number),
    )
    .select(['revision.number', 'latest.mark as latestMark', 'known.mark as knownMark'])
    .where('revision.log', '=', log as RevisionLog)

/** Compares a log with the commit of a follower, in one statement. */
export async function positionIn(
  db: Kysely<Tables>,
  log: RevisionLog,
  known: Commit,
): Promise<Position> {
  const [row] = await rowsOf(db, positions, [known.revision, log])
  if (row === undefined) throw new TypeError(`The database has no revision of the log ${log}`)
  return {
    latest: { revision: row.number, mark: row.latestMark },
    hasKnown: hasCommit(row.number, row.knownMark, known),
  }
}

/** True if a log has a commit, according to its latest revision and the mark at the commit's revision. */
export const hasCommit = (
  latestRevision: number,
  markThere: string | null,
  { revision, mark }: Commit,
): boolean => latestRevision >= revision && markThere === mark

/**
 * Takes the revision that follows `base`, and with it the write lock, until the transaction ends.
 * It must be the first statement of every commit, so that the lock precedes other reads and writes.
 *
 * @returns false when another commit already followed `base`, or `base` is no commit of this log
 */
export async function takeNextRevision(
  db: Transaction<Tables>,
  log: RevisionLog,
  base: Commit,
  mark: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('revision')
    .set({ number: base.revision + 1 })
    .where('log', '=', log)
    .where('number', '=', base.revision)
    .where(({ exists, not, selectFrom }) => {
      const marks = selectFrom('commit_mark')
        .select('mark')
        .where('commit_mark.log', '=', log)
        .where('commit_mark.revision', '=', base.revision)
      return base.mark === null ? not(exists(marks)) : exists(marks.where('mark', '=', base.mark))
    })
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  await db
    .insertInto('commit_mark')
    .values({ log, revision: base.revision + 1, mark })
    .execute()
  return true
}
