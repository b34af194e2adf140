import type { Kysely, Transaction } from 'kysely'
import type { RevisionLog, Tables } from './tables.ts'

/** The latest committed revision of a log. */
export async function latestRevision(db: Kysely<Tables>, log: RevisionLog): Promise<number> {
  const { number } = await db
    .selectFrom('revision')
    .select('number')
    .where('log', '=', log)
    .executeTakeFirstOrThrow()
  return number
}

/**
 * Takes the revision that follows `base`, and with it the right to write: others wait until this
 * transaction ends. False when another commit already followed `base`.
 *
 * It is the first statement of every commit: the lock comes before anything is read or written.
 */
export async function takeNextRevision(
  db: Transaction<Tables>,
  log: RevisionLog,
  base: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('revision')
    .set({ number: base + 1 })
    .where('log', '=', log)
    .where('number', '=', base)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
