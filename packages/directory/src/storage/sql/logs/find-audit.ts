import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { AuditHour, AuditQuery } from '../../../audit/audit-trail.ts'
import type { AuditTable } from '../rows/audit-rows.ts'
import type { AuditRow, Tables } from '../rows/tables.ts'
import { timeOrderedIdFloor } from '../rows/time-ordered-id.ts'

/** The largest number of records that a query with several filters reads for one page. */
export const maxRecordsScanned = 2000

type Filter = { readonly column: keyof AuditRow; readonly value: string | null }
type AuditSelect<Output> = SelectQueryBuilder<Tables, AuditTable, Output>

const columns = {
  id: 'id',
  tenantId: 'tenant_id',
  actor: 'actor',
  action: 'action',
  target: 'target',
  outcome: 'outcome',
  reason: 'reason',
  correlationId: 'correlation_id',
} as const

// The sign-in log has two actions, so an index of them would find too much.
const actorTargetTenant = ['id', 'actor', 'target', 'tenant_id', 'correlation_id'] as const
const indexedColumns: Readonly<Record<AuditTable, ReadonlySet<keyof AuditRow>>> = {
  directory_audit: new Set([...actorTargetTenant, 'action']),
  sign_in_audit: new Set(actorTargetTenant),
}

/** Whether an index finds the records of a filter in the order of their ids. */
const isIndexed = (table: AuditTable, { column, value }: Filter): boolean =>
  indexedColumns[table].has(column) ||
  // Two partial indexes: most records are done and have no reason.
  (column === 'reason' && value !== null) ||
  (column === 'outcome' && value === 'refused')

export type FoundRows = {
  readonly rows: readonly AuditRow[]
  /** The id to continue before; null when there is no earlier record. */
  readonly next: string | null
}

/**
 * Finds a page of audit records. The work of one call is bounded: with one indexed filter by the page,
 * otherwise by `maxRecordsScanned`. A page that ends there has fewer records, possibly none, and `next`.
 */
export async function findAudit(
  db: Kysely<Tables>,
  table: AuditTable,
  query: AuditQuery,
): Promise<FoundRows> {
  const filters = filtersOf(query)
  const indexed = filters.filter((filter) => isIndexed(table, filter))
  const { exceptDone = [] } = query
  const isBounded = exceptDone.length > 0 || filters.length > 1 || filters.length > indexed.length
  if (!isBounded) {
    const found = select(db, table, query, filters).limit(query.limit + 1)
    return page(await found.execute(), query.limit)
  }

  const { driver, scannedTo } = await chooseDriver(db, table, query, indexed)
  const scanned = select(db, table, query, driver ? [driver] : [])
    .$if(scannedTo !== undefined, (rows) => rows.where('id', '>=', scannedTo ?? ''))
    .limit(maxRecordsScanned)
  // The limit within forces the index of the driver on every planner.
  let rows = db.selectFrom(scanned.as('scanned')).selectAll()
  if (exceptDone.length > 0) {
    rows = rows.where((row) =>
      row.or([row('outcome', '!=', 'done'), row('action', 'not in', exceptDone)]),
    )
  }
  for (const { column, value } of filters) {
    if (column === driver?.column) continue
    rows = rows.where(column, value === null ? 'is' : '=', value)
  }
  const found = await rows
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  const { rows: ofPage, next } = page(found, query.limit)
  return { rows: ofPage, next: next ?? scannedTo ?? null }
}

/**
 * Chooses the filter whose records reach back furthest, because it has the fewest. One with few
 * records is read whole.
 */
async function chooseDriver(
  db: Kysely<Tables>,
  table: AuditTable,
  query: AuditQuery,
  indexed: readonly Filter[],
): Promise<{ driver: Filter | undefined; scannedTo: string | undefined }> {
  let chosen: { driver: Filter | undefined; scannedTo: string } | undefined
  for (const driver of indexed.length > 0 ? indexed : [undefined]) {
    const last = await select(db, table, query, driver ? [driver] : [], 'id')
      .limit(1)
      .offset(maxRecordsScanned - 1)
      .executeTakeFirst()
    if (last === undefined) return { driver, scannedTo: undefined }
    if (chosen === undefined || last.id < chosen.scannedTo) chosen = { driver, scannedTo: last.id }
  }
  return chosen ?? { driver: undefined, scannedTo: undefined }
}

function filtersOf(query: AuditQuery): Filter[] {
  const filters: Filter[] = []
  for (const [name, column] of Object.entries(columns)) {
    const value = query[name as keyof typeof columns]
    if (value !== undefined) filters.push({ column, value })
  }
  return filters
}

/** The records in the time of a query that match the filters, the latest first. */
function select(
  db: Kysely<Tables>,
  table: AuditTable,
  { from, to, before }: AuditQuery,
  filters: readonly Filter[],
  columns?: 'id',
): AuditSelect<AuditRow> {
  const selected = db.selectFrom(table)
  let rows = (columns ? selected.select(columns) : selected.selectAll()) as AuditSelect<AuditRow>
  for (const { column, value } of filters)
    rows = rows.where(column, value === null ? 'is' : '=', value)
  if (from) rows = rows.where('id', '>=', timeOrderedIdFloor(from))
  if (to) rows = rows.where('id', '<', timeOrderedIdFloor(to))
  if (before !== undefined) rows = rows.where('id', '<', before)
  return rows.orderBy('id', 'desc')
}

/** @param found up to one record more than the page has */
function page(found: readonly AuditRow[], limit: number): FoundRows {
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

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
