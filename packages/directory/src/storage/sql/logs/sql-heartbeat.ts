import { sql } from 'kysely'
import type { ClockMarkStore } from '../../../clock/clock-marks.ts'
import { beginning, newMark } from '../../../live/commit.ts'
import type { Standby } from '../../../live/standby-reads.ts'
import { text, textOrNull } from '../rows/object-rows.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** Servers write no more often than this, together. */
const beatEveryMs = 4000
/** More than an hour of heartbeats, which is the longest declared staleness. */
const marksKept = 1000

/**
 * Writes a server's time with a random mark, so that a standby shows how old it is and that it follows this store.
 *
 * @param everyMs the least time since the latest one
 */
export async function beat(database: SqlDatabase, now: Date, everyMs = beatEveryMs): Promise<void> {
  const at = text(now)
  await database.write(async (db) => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('heartbeat')
      .values({ id: 1, at })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ at })
          .where('heartbeat.at', '<', text(new Date(now.getTime() - everyMs))),
      )
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows !== 1n) return
    await sql`insert into commit_mark (log, revision, mark)
      select 'heartbeat', coalesce(max(revision), 0) + 1, ${newMark()} from commit_mark
      where log = 'heartbeat'`.execute(db)
    await sql`delete from commit_mark where log = 'heartbeat' and revision <=
      (select max(revision) from commit_mark where log = 'heartbeat') - ${marksKept}`.execute(db)
  })
}

/** The latest heartbeat of a store, and whether the store has a given one. */
export const lastBeat = (
  database: SqlDatabase,
  { revision, mark } = beginning,
): ReturnType<Standby['lastBeat']> =>
  database.ask(async (db) => {
    const { rows } = await sql<{
      at: string
      revision: number | null
      mark: string
      known: string
    }>`
      select at, revision, mark, (select mark from commit_mark
        where log = 'heartbeat' and revision = ${revision}) as known
      from heartbeat left join commit_mark on log = 'heartbeat' order by revision desc limit 1
    `.execute(db)
    const [row] = rows
    if (row === undefined) return undefined
    const latest = row.revision === null ? beginning : { revision: row.revision, mark: row.mark }
    return { at: new Date(row.at), latest, hasKnown: mark !== null && row.known === mark }
  })

/** The clock marks in a database: one row. */
export const sqlClockMarks = (database: SqlDatabase): ClockMarkStore => ({
  read: async () => {
    const row = await database.ask((db) =>
      db.selectFrom('clock_mark').selectAll().executeTakeFirst(),
    )
    if (row === undefined) return undefined
    const doubtedSince = row.doubted_since === null ? null : new Date(row.doubted_since)
    return { agreed: new Date(row.agreed_at), doubtedSince }
  },
  write: async ({ agreed, doubtedSince }) => {
    const row = { agreed_at: text(agreed), doubted_since: textOrNull(doubtedSince) }
    await database.writeBatch(async (db) => {
      await db
        .insertInto('clock_mark')
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
      return []
    })
  },
})
