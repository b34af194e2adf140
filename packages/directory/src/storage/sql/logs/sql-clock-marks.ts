import type { ClockMarkStore, ClockMarks } from '../../../clock/clock-marks.ts'
import { text } from '../rows/object-rows.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** The clock marks in a database: one row. */
export class SqlClockMarks implements ClockMarkStore {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async read(): Promise<ClockMarks | undefined> {
    const row = await this.#database.ask((db) =>
      db.selectFrom('clock_mark').selectAll().executeTakeFirst(),
    )
    if (row === undefined) return undefined
    const doubtedSince = row.doubted_since === null ? null : new Date(row.doubted_since)
    return { agreed: new Date(row.agreed_at), doubtedSince }
  }

  async write({ agreed, doubtedSince }: ClockMarks): Promise<void> {
    const row = {
      agreed_at: text(agreed),
      doubted_since: doubtedSince && text(doubtedSince),
    }
    await this.#database.writeBatch(async (db) => {
      await db
        .insertInto('clock_mark')
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
      return []
    })
  }
}
