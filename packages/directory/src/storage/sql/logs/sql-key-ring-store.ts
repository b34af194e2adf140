import type { Kysely, Transaction } from 'kysely'
import type { AuditRecord } from '../../../audit/audit-record.ts'
import type { KeyEvent, KeyRingStore, SigningKey } from '../../../keys/key-ring-store.ts'
import { beginning, type Commit, type OnCommit, type RevisionLog } from '../../../live/commit.ts'
import { insertAudit } from '../rows/audit-rows.ts'
import { rowsOf } from '../rows/list-parameter.ts'
import { text } from '../rows/object-rows.ts'
import type { SigningKeyRow, Tables } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** The key ring in a database. It stores and returns encrypted private keys. */
export const sqlKeyRingStore = (
  database: SqlDatabase,
  onCommit: OnCommit = async () => undefined,
): KeyRingStore => ({
  // One state of the database, so that the ring is the one of its revision.
  read: (known = beginning) =>
    database.snapshot(async (db) => {
      const position = await positionIn(db, 'signing-keys', known)
      const rows = await db
        .selectFrom('signing_key')
        .selectAll()
        .orderBy('signs_from')
        .orderBy('kid')
        .execute()
      return { ...position, ring: rows.map(keyFromRow) }
    }),
  commit: async (base, mark, ring, events) => {
    const outcome = await database.write(async (db) => {
      if (!(await takeNextRevision(db, 'signing-keys', base, mark))) return 'conflict'
      await db.deleteFrom('signing_key').execute()
      if (ring.length > 0) await db.insertInto('signing_key').values(ring.map(keyToRow)).execute()
      await insertAudit(db, 'directory_audit', 'changes', events.map(keyEventRecord))
      return 'committed'
    })
    if (outcome === 'committed')
      await onCommit('signing-keys', { revision: base.revision + 1, mark })
    return outcome
  },
})

const keyToRow = (key: SigningKey): SigningKeyRow => ({
  kid: key.kid,
  certificate: key.certificate,
  sealed_private_key: key.sealedPrivateKey,
  announced_at: text(key.announcedAt),
  signs_from: text(key.signsFrom),
  retired_at: key.retiredAt && text(key.retiredAt),
  longest_token_seconds: key.longestTokenSeconds,
})

const keyFromRow = (row: SigningKeyRow): SigningKey => ({
  kid: row.kid,
  certificate: row.certificate,
  sealedPrivateKey: row.sealed_private_key,
  announcedAt: new Date(row.announced_at),
  signsFrom: new Date(row.signs_from),
  retiredAt: row.retired_at === null ? null : new Date(row.retired_at),
  longestTokenSeconds: row.longest_token_seconds,
})

export const keyEventRecord = ({
  at,
  actor,
  action,
  kid,
  correlationId,
}: KeyEvent): AuditRecord => ({
  at,
  tenantId: null,
  actor,
  action: `signingKey.${action}`,
  target: kid,
  outcome: 'done',
  reason: null,
  correlationId,
})

/** The latest commit of a log, and whether the log has the commit of a follower. */
type Position = { readonly latest: Commit; readonly hasKnown: boolean }

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
async function positionIn(db: Kysely<Tables>, log: RevisionLog, known: Commit): Promise<Position> {
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
async function takeNextRevision(
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
