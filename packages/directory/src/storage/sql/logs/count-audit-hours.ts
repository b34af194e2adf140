import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { AuditHour } from '../../../audit/audit-trail.ts'
import type { AuditTable } from '../rows/audit-rows.ts'
import type { Tables } from '../rows/tables.ts'
import { timeOrderedIdFloor } from '../rows/time-ordered-id.ts'

const hourMs = 3_600_000
const maxCounted = 100_000

type Counts = Readonly<Record<'hour' | 'records' | 'refused' | 'left_out', number | string>>

/**
 * Counts the records of each hour by index entries, at most 100,000 of each kind. It also reads the
 * records without a target, because actions that are left out have no target.
 */
export async function countAuditHours(
  db: Kysely<Tables>,
  table: AuditTable,
  exceptDone: readonly string[],
  from: Date,
  hours: number,
): Promise<readonly AuditHour[]> {
  const starts = Array.from({ length: hours }, (_, n) => new Date(from.getTime() + n * hourMs))
  // SQL has no empty list.
  const actions = sql.join(exceptDone.length > 0 ? exceptDone : [''])
  const parts = starts.map((start, hour) => {
    const end = timeOrderedIdFloor(new Date(start.getTime() + hourMs))
    const count = (condition: RawBuilder<unknown>) => sql`(select count(*) from (
      select 1 from ${sql.table(table)} where id >= ${timeOrderedIdFloor(start)} and id < ${end}
        ${condition} limit ${sql.lit(maxCounted)}) as counted)`
    return sql`select ${sql.lit(hour)} as hour, ${count(sql``)} as records,
      ${count(sql`and outcome = 'refused'`)} as refused,
      ${count(sql`and target is null and outcome = 'done' and action in (${actions})`)} as left_out`
  })
  const { rows } = await sql<Counts>`${sql.join(parts, sql` union all `)} order by hour`.execute(db)
  return rows.map(({ records, refused, left_out }, hour) => ({
    from: new Date(from.getTime() + hour * hourMs),
    done: Math.max(0, Number(records) - Number(refused) - Number(left_out)),
    refused: Number(refused),
  }))
}
