import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from 'kysely'
import {
  beginning,
  type Commit,
  commitsRemembered,
  type Known,
  knownWith,
  recentOf,
} from '../../../live/commit.ts'
import type { CommitOptions } from '../../../live/directory-log.ts'
import type { ObjectQuota } from '../../../live/object-quota.ts'
import { padded, rowsOf } from '../rows/list-parameter.ts'
import type { Tables } from '../rows/tables.ts'

/** The commits of the directory log that a follower does not know yet. */
export type Position = {
  readonly latest: Known
  /** False when the log lacks a commit that the follower has read: the store was rolled back. */
  readonly hasKnown: boolean
  /** Whether a new start is cheaper than to follow. */
  readonly isFar: boolean
}

/** The number of commits that a follower may be behind before it starts again. */
export const maxCommitsBehind = 5000

const marks = (db: Kysely<Tables>) =>
  db
    .selectFrom('commit_mark')
    .select(['revision', 'mark'])
    .where('log', '=', sql.lit<'directory'>('directory'))

const newMarks = (db: Kysely<Tables>, [revision, ...others]: readonly number[]) =>
  marks(db)
    .where(({ eb, or }) =>
      or([eb('revision', '>', revision as number), eb('revision', 'in', others)]),
    )
    .orderBy('revision')
    .limit(sql.lit(2 * maxCommitsBehind))

/** Compares the log with the state of a follower, in one statement. */
export async function positionAfter(db: Kysely<Tables>, known: Known): Promise<Position> {
  const recent = recentOf(known)
  const others = [...(known.missing ?? []), ...recent.map(({ revision }) => revision)]
  const rows = await rowsOf(db, newMarks, [known.revision, ...padded(others.length ? others : [0])])
  const markAt = new Map(rows.map(({ revision, mark }) => [revision, mark]))
  const hasKnown = recent.every(({ revision, mark }) => markAt.get(revision) === mark)
  const isFar = (rows.at(-1)?.revision ?? 0) - known.revision > maxCommitsBehind
  if (isFar || !hasKnown) return { latest: await latestIn(db), hasKnown, isFar }
  return { latest: knownWith(known, rows), hasKnown, isFar }
}

/** The latest commit of the log, after which a follower begins, with the numbers below it that are missing. */
export async function latestIn(db: Kysely<Tables>): Promise<Known> {
  // SQLite has one writer at a time, so no number is missing.
  const limit = isPostgres(db) ? maxCommitsBehind : 1
  const rows = (await marks(db).orderBy('revision', 'desc').limit(limit).execute()).toReversed()
  const [first] = rows
  if (first === undefined) return beginning
  const start = rows.length < limit && first.revision <= limit ? 0 : first.revision - 1
  const known = knownWith({ revision: start, mark: null, recent: [] }, rows)
  // Each question compares them.
  return { ...known, recent: recentOf(known).slice(0, commitsRemembered) }
}

/** True if the log has a commit, and all that a list of changes up to it contains. */
export async function hasCommit(db: Kysely<Tables>, { mark, revision }: Commit): Promise<boolean> {
  if (revision === 0) return true
  const row = await marks(db).where('revision', '=', revision).executeTakeFirst()
  return row?.mark === mark
}

/**
 * The commit up to which a list of changes is complete: no commit with a lower number will become visible.
 *
 * @param since the commit at which the list begins
 */
export async function completeIn(db: Kysely<Tables>, since: Commit): Promise<Commit> {
  const { rows } = await sql<Commit>`
    select revision, mark from (
      select revision, mark, lead(revision) over (order by revision) as following
      from commit_mark where log = 'directory' and revision >= ${since.revision} and revision >
        (select max(revision) from commit_mark where log = 'directory') - ${sql.lit(maxCommitsBehind)}
    ) as one
    where following is null or following > revision + 1
    order by revision limit 1
  `.execute(db)
  return rows[0] ?? beginning
}

/**
 * Begins a commit: takes the locks of its logs until the transaction ends, and a number.
 *
 * A log is a tenant, or `directory` for what is unique among tenants. Its row has the number of its latest
 * commit. The condition reads this row only, because a writer that waited for it sees no other new rows.
 *
 * @param options see `CommitOptions`
 * @returns the commit; undefined when another one changed a log after `base`, when this log lacks
 * `base`, when the number was given up meanwhile, or when the quota is exceeded
 */
export async function takeLogs(
  db: Transaction<Tables>,
  logs: readonly string[],
  base: Known,
  mark: string,
  { quota, waitsForLogs }: CommitOptions,
): Promise<readonly Pick<Commit, 'revision'>[] | undefined> {
  const isUnchanged = unchangedSince(base)
  if (!waitsForLogs)
    await sql`
      update revision set mark = ${mark} where log in (
        select log from revision where log in (${sql.join(logs)}) and ${isUnchanged} and ${hasBase(base)}
        ${isPostgres(db) ? sql`for update skip locked` : sql``}
      )
    `.execute(db)
  for (const log of waitsForLogs ? logs : [])
    await sql`
      insert into revision (log, number, mark)
      select ${log}, 0, ${mark} where ${hasBase(base)}
      on conflict (log) do update set mark = excluded.mark where ${isUnchanged}
    `.execute(db)
  const { numAffectedRows, rows } = await sql<Pick<Commit, 'revision'>>`
    insert into commit_mark (log, revision, mark)
    select 'directory', ${numberIn(db, 'next')}, ${mark} where (
      select count(*) from revision
      where mark = ${mark} and log in (${sql.join(logs)}) and ${isUnchanged}
    ) = ${sql.lit(logs.length)} ${quota === undefined ? sql`` : sql`and not ${exceeds(quota)}`}
    on conflict do nothing
    returning revision
  `.execute(db)
  // A recorded statement has no rows yet.
  return rows.length === 0 && numAffectedRows !== 1n ? undefined : rows
}

/** True if a commit was not begun because of the quota, and not because its logs had changed. */
export async function isOverQuota(
  db: Kysely<Tables>,
  logs: readonly string[],
  base: Known,
  quota: ObjectQuota,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 where ${exceeds(quota)} and ${hasBase(base)} and not exists (
      select 1 from revision where log in (${sql.join(logs)}) and not (${unchangedSince(base)}))
  `.execute(db)
  return rows.length > 0
}

/** Whether a tenant would have too many objects. The count includes all earlier commits to its log. */
const exceeds = ({ growth, maxObjects }: ObjectQuota) => {
  const tenants = growth.map(
    ([tenantId, more]) => sql`(tenant_id = ${tenantId} and number > ${maxObjects - more})`,
  )
  return sql`exists (select 1 from directory_count
    where kind = 'object' and (${sql.join(tenants, sql` or `)}))`
}

/** Whether a log has no commit after the commits that the writer has read. */
const unchangedSince = ({ missing = [], revision }: Known) => sql`revision.number <= ${revision}
    and revision.number not in (${sql.join(missing.length > 0 ? missing : [-1])})`

const hasBase = ({ mark, revision }: Known) =>
  revision === 0
    ? sql`1 = 1`
    : sql`exists (select 1 from commit_mark
    where log = 'directory' and revision = ${revision} and mark = ${mark})`

/** Records the number of a commit in its logs, as the last statement of the commit. */
export const numberLogs = (db: Transaction<Tables>, logs: readonly string[]) =>
  sql`update revision set number = ${numberIn(db, 'own')} where log in (${sql.join(logs)})`.execute(
    db,
  )

/**
 * The number of a transaction's commit. PostgreSQL takes it from a sequence, for which no
 * transaction waits. SQLite has one writer at a time.
 */
export function numberIn(db: Kysely<Tables>, which: 'next' | 'own'): RawBuilder<number> {
  if (!isPostgres(db))
    return sql<number>`(select coalesce(max(revision), 0) + ${sql.lit(which === 'next' ? 1 : 0)}
      from commit_mark where log = 'directory')`
  return which === 'next'
    ? sql<number>`nextval('directory_revision')`
    : sql<number>`currval('directory_revision')`
}

/** Continues the commit numbers of a restored log. */
export async function continueNumbers(db: Kysely<Tables>): Promise<void> {
  if (!isPostgres(db)) return
  const { revision } = await latestIn(db)
  await sql`select setval('directory_revision', ${revision + 1}, false)`.execute(db)
}

/**
 * Records the commit numbers that were given up, so that followers stop waiting for them. It waits
 * for a commit that is still being written, or makes it fail.
 */
export const giveUp = (db: Transaction<Tables>, numbers: readonly number[], mark: string) =>
  db
    .insertInto('commit_mark')
    .values(numbers.map((revision) => ({ log: 'directory' as const, revision, mark })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()

const isPostgres = (db: Kysely<Tables>) => db.getExecutor().adapter instanceof PostgresAdapter
