import type { Kysely, Transaction } from 'kysely'
import type { Known } from '../../../live/commit.ts'
import type { Followed } from '../../../live/directory-log.ts'
import type { DirectoryLookup } from '../../../live/directory-lookup.ts'
import type { Tables } from '../rows/tables.ts'
import { changedObjects } from './changed-objects.ts'
import { positionAfter } from './directory-commits.ts'
import { loadLookups } from './directory-loading.ts'

/** The query of a follower. A thread can read it, and execute all its statements in one step. */
export type ChangesQuestion = {
  readonly known: Known
  readonly lookups: readonly DirectoryLookup[]
}

/** Reads the changes after a commit, and the results of lookups, in one read-only transaction. */
export const answerChanges = (db: Kysely<Tables>, question: ChangesQuestion): Promise<Followed> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((snapshot) => changesIn(snapshot, question))

/** Reads the changes after a commit in a transaction that sees one state of the directory. */
export async function changesIn(
  snapshot: Transaction<Tables>,
  { known, lookups }: ChangesQuestion,
): Promise<Followed> {
  const { hasKnown, isFar, latest } = await positionAfter(snapshot, known)
  if (!hasKnown || isFar) return { latest, hasKnown, changes: undefined, loaded: [] }
  const changes = latest === known ? [] : await changedObjects(snapshot, known)
  const loaded = changes === undefined ? [] : await loadLookups(snapshot, lookups)
  return { latest, hasKnown, changes, loaded }
}
