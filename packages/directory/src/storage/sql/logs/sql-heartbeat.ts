import { text } from '../rows/object-rows.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** Servers write no more often than this, together. */
const beatEveryMs = 4000

/** Writes the time of a server, so that a standby shows its age. */
export async function beat(database: SqlDatabase, now: Date): Promise<void> {
  const at = text(now)
  await database.write((db) =>
    db
      .insertInto('heartbeat')
      .values({ id: 1, at })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ at })
          .where('heartbeat.at', '<', text(new Date(now.getTime() - beatEveryMs))),
      )
      .execute(),
  )
}

/** The latest time that a server has written; undefined when there is none. */
export async function lastBeat(database: SqlDatabase): Promise<Date | undefined> {
  const row = await database.ask((db) => db.selectFrom('heartbeat').select('at').executeTakeFirst())
  return row && new Date(row.at)
}
