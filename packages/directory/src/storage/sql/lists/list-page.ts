// Folder: Pages of objects: filter, search, order and changes, as queries.

import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import { DirectoryCache } from '../../../live/directory-cache.ts'
import type { ListedKind, ListOrder, ListPage, ListQuery } from '../../../live/directory-list.ts'
import type { CommittedChange, DirectoryObjects } from '../../../model/directory-change.ts'
import { padded } from '../rows/list-parameter.ts'
import { objectsOf } from '../rows/object-queries.ts'
import { nameKey, text } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { conditionSql, dependsOnSize, listedTables } from './list-conditions.ts'
import { relatedObjects } from './list-related.ts'
import type { OneAtATime } from './one-at-a-time.ts'

type AnyQuery = ListQuery<ListedKind>

/** Up to this many rows, an index finds the list. Beyond it, the list is read in its order. */
const maxCandidates = 2000
/** Up to this many rows that one condition found are examined for the next one, without its index. */
const maxExamined = 20
/**
 * Rows that are read in one piece. A filter with 40 comparisons examines them in about 5 ms. Without a filter it is
 * one more, so that a page of 100 objects is one piece: one more object shows that there is a next page.
 */
const rowsPerPart = 100
/** Rows that one page of a filter without an index reads. Its next page continues there. */
const defaultMaxRowsPerPage = 5000

/** Rows that one count of a filter without an index reads: about ten seconds of a core. */
const maxCountedRows = 200_000

/** The limits that all lists of one store share. */
export type ListLimits = {
  /** Counts of filters without an index, which read the whole tenant. */
  readonly scans: OneAtATime
  readonly maxCountedRows?: number
  readonly maxRowsPerPage?: number
}

/** Reads one page of a list, in parts. Each part is read in a separate snapshot. */
export async function listPage<Kind extends ListedKind>(
  database: SqlDatabase,
  query: ListQuery<Kind>,
  limits: ListLimits,
): Promise<ListPage<Kind>> {
  const every = query as unknown as AnyQuery
  const { maxRowsPerPage = defaultMaxRowsPerPage } = limits
  const ids = await database.report((db) => candidates(db, every))
  const directory = new DirectoryCache(Number.POSITIVE_INFINITY)
  const objects: DirectoryObjects[Kind][] = []
  let after = query.after
  let isLast = false
  for (
    let rows = 0;
    !isLast && objects.length <= query.limit && rows < maxRowsPerPage;
    rows += rowsPerPart
  ) {
    const limit =
      query.matches === undefined
        ? Math.min(rowsPerPart + 1, query.limit + 1 - objects.length)
        : rowsPerPart
    const part = await readPart(database, every, { ids, after, limit, directory })
    isLast = part.length < limit
    after = cursorOf(every, part.at(-1)) ?? after
    for (const { value } of part) {
      const object = value as DirectoryObjects[Kind]
      if (query.matches?.(object, directory) ?? true) objects.push(object)
    }
  }
  const page = objects.slice(0, query.limit)
  const lastShown = page.at(-1)
  const next =
    objects.length > page.length && lastShown !== undefined
      ? cursorOf(every, { value: lastShown })
      : isLast
        ? undefined
        : after
  return {
    objects: page,
    directory,
    next,
    count: query.isCounted ? await countOf(database, every, ids, limits) : undefined,
  }
}

type Part = {
  readonly ids: readonly string[] | undefined
  readonly after: string | undefined
  readonly limit: number
  readonly directory: DirectoryCache
}

function readPart(
  database: SqlDatabase,
  query: AnyQuery,
  { ids, after, limit, directory }: Part,
): Promise<CommittedChange[]> {
  if (ids?.length === 0) return Promise.resolve([])
  return database.reportSnapshot(async (db) => {
    const { rows } = await sql<never>`
      select * from ${sql.table(listedTables[query.kind])}
      where ${belongs(query, ids)} ${after === undefined ? sql`` : isAfter(query, after)}
      order by ${orderOf(query)} limit ${limit}
    `.execute(db)
    const objects = await objectsOf(db, query.kind, rows)
    directory.add(await relatedObjects(db, query, objects))
    return objects
  })
}

/** The IDs that satisfy all conditions with an index; undefined when there are too many. */
async function candidates(db: Kysely<Tables>, query: AnyQuery): Promise<string[] | undefined> {
  let found: string[] | undefined
  const { conditions, kind, tenantId } = query
  const isLarge =
    conditions.some(dependsOnSize) && (await objectCount(db, kind, tenantId)) > maxCandidates
  // The table of trigrams has the names of all tenants. The planner of PostgreSQL decides about it itself.
  const isSearched = isLarge && !(db.getExecutor().adapter instanceof PostgresAdapter)
  for (const condition of conditions) {
    const index = conditionSql(kind, condition)
    if (index === undefined) continue
    if (found?.length === 0) return found
    const source =
      found !== undefined && found.length <= maxExamined
        ? sql`select id from ${sql.table(listedTables[kind])}
            where id in (${sql.join(padded(found))}) and ${index.row()}`
        : index.ids({ tenantId, isLarge, isSearched })
    const { rows } = await sql<{ id: string }>`
      select id from (${source}) as found limit ${maxCandidates + 1}
    `.execute(db)
    if (rows.length > maxCandidates) continue
    const ids = new Set(rows.map(({ id }) => id))
    found = found === undefined ? [...ids] : found.filter((id) => ids.has(id))
  }
  return found
}

/** The objects of a tenant that are not deleted, as commits count them. */
async function objectCount(
  db: Kysely<Tables>,
  kind: ListedKind,
  tenantId: string,
): Promise<number> {
  const row = await db
    .selectFrom('directory_count')
    .select('number')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', listedTables[kind])
    .executeTakeFirst()
  return row?.number ?? 0
}

/** Counts the objects of tenants as commits count them, including soft-deleted ones. */
export async function countObjects(
  database: SqlDatabase,
  tenantIds: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const rows = await database.report((db) =>
    db
      .selectFrom('directory_count')
      .select(['tenant_id', 'number'])
      .where('tenant_id', 'in', tenantIds)
      .where('kind', '=', 'object')
      .execute(),
  )
  return Object.fromEntries(rows.map((row) => [row.tenant_id, row.number]))
}

/** Whether a row belongs to the list, as far as the database can tell. */
function belongs(query: AnyQuery, ids: readonly string[] | undefined): RawBuilder<unknown> {
  const { conditions, createdUntil, kind, tenantId } = query
  return sql.join(
    [
      sql`tenant_id = ${tenantId}`,
      ...(kind === 'appRoleAssignment' ? assignmentConditions(query) : [state(query)]),
      ...(createdUntil === undefined ? [] : [sql`created_at <= ${text(createdUntil)}`]),
      ...(ids === undefined
        ? conditions.flatMap((one) => conditionSql(kind, one)?.row() ?? [])
        : [sql`id in (${sql.join(padded(ids))})`]),
    ],
    sql` and `,
  )
}

const state = ({ deletedSince }: AnyQuery): RawBuilder<unknown> =>
  deletedSince === undefined
    ? sql`deleted_at is null`
    : sql`deleted_at is not null and deleted_at >= ${text(deletedSince)}`

const assignmentColumns = {
  principalId: 'principal_id',
  resourceId: 'resource_id',
  appRoleId: 'app_role_id',
} as const

/** An assignment is hidden while its principal or its resource is deleted. */
function assignmentConditions({ conditions }: AnyQuery): RawBuilder<unknown>[] {
  const columns: Readonly<Record<string, string>> = assignmentColumns
  const isActive = (column: string) => sql`exists (
    select 1 from service_principal
    where service_principal.id = ${sql.ref(column)} and deleted_at is null
      and service_principal.tenant_id = app_role_assignment.tenant_id
  )`
  return [
    ...conditions.flatMap((condition) => {
      const comparisons = 'anyOf' in condition ? condition.anyOf : [condition]
      const parts = comparisons.flatMap(({ index, operator, text }) => {
        const column = operator === 'eq' ? columns[index] : undefined
        return column === undefined ? [] : [sql`${sql.ref(column)} = ${text.toLowerCase()}`]
      })
      return parts.length < comparisons.length ? [] : [sql`(${sql.join(parts, sql` or `)})`]
    }),
    isActive('principal_id'),
    isActive('resource_id'),
  ]
}

/** The columns of each order, and the value of an object in it. */
const orders: {
  readonly [By in ListOrder['by']]: {
    readonly column: string
    readonly keyOf: (object: DirectoryObjects['application' | 'servicePrincipal']) => string
  }
} = {
  displayName: { column: 'name_key', keyOf: ({ displayName }) => nameKey(displayName) },
  createdDateTime: {
    column: 'created_at',
    keyOf: ({ createdDateTime }) => text(createdDateTime),
  },
  deletedDateTime: {
    column: 'deleted_at',
    keyOf: ({ deletedDateTime }) => (deletedDateTime === null ? '' : text(deletedDateTime)),
  },
}

function orderOf({ order }: AnyQuery): RawBuilder<unknown> {
  if (order === undefined) return sql`id`
  const direction = order.isDescending ? sql`desc` : sql`asc`
  return sql`${sql.ref(orders[order.by].column)} ${direction}, id ${direction}`
}

/** The position of an object in its list, for `isAfter`. */
function cursorOf(
  { order }: AnyQuery,
  object: Pick<CommittedChange, 'value'> | undefined,
): string | undefined {
  const value = object?.value as DirectoryObjects['application'] | null | undefined
  if (value === null || value === undefined) return undefined
  return order === undefined ? value.id : JSON.stringify([orders[order.by].keyOf(value), value.id])
}

function isAfter({ order }: AnyQuery, after: string): RawBuilder<unknown> {
  if (order === undefined) return sql`and id > ${after}`
  const [key, id] = JSON.parse(after) as [string, string]
  const columns = sql`(${sql.ref(orders[order.by].column)}, id)`
  const isLater = order.isDescending ? sql`<` : sql`>`
  return sql`and ${columns} ${isLater} (${key}, ${id})`
}

async function countOf(
  database: SqlDatabase,
  query: AnyQuery,
  ids: readonly string[] | undefined,
  { scans, maxCountedRows: maxRows = maxCountedRows }: ListLimits,
): Promise<ListPage<ListedKind>['count']> {
  if (ids?.length === 0) return 0
  const { kind, matches, tenantId } = query
  if (isCounted(query)) return database.report((db) => objectCount(db, kind, tenantId))
  if (matches === undefined || (ids === undefined && query.isIndexed)) {
    const { rows } = await database.report((db) =>
      sql<{ number: number | string }>`
        select count(*) as number from ${sql.table(listedTables[kind])}
        where ${belongs(query, ids)}
      `.execute(db),
    )
    return Number(rows[0]?.number ?? 0)
  }
  return scans.run(() => countMatches(database, query, ids, maxRows))
}

/** Objects that are not deleted are counted by commits, for each tenant. */
const isCounted = ({ conditions, createdUntil, deletedSince, kind, matches }: AnyQuery): boolean =>
  kind !== 'appRoleAssignment' &&
  conditions.length === 0 &&
  matches === undefined &&
  createdUntil === undefined &&
  deletedSince === undefined

async function countMatches(
  database: SqlDatabase,
  query: AnyQuery,
  ids: readonly string[] | undefined,
  maxRows: number,
): Promise<number | 'too_many'> {
  let count = 0
  let after: string | undefined
  for (let rows = 0; rows < maxRows; rows += rowsPerPart) {
    const directory = new DirectoryCache(Number.POSITIVE_INFINITY)
    const limit = rowsPerPart
    const part = await readPart(database, query, { ids, after, limit, directory })
    count += part.filter(({ value }) => query.matches?.(value as never, directory)).length
    if (part.length < limit) return count
    after = cursorOf(query, part.at(-1))
  }
  return 'too_many'
}
