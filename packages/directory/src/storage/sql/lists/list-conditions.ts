import { type RawBuilder, sql } from 'kysely'
import type {
  IndexedComparison,
  ListCondition,
  ListedKind,
  ListIndex,
} from '../../../live/directory-list.ts'
import { isGuid } from '../../../model/guid.ts'
import { nameKey } from '../rows/object-rows.ts'

/** The tables of the kinds of objects that have lists. */
export const listedTables = {
  application: 'application',
  servicePrincipal: 'service_principal',
  appRoleAssignment: 'app_role_assignment',
} as const satisfies Record<ListedKind, string>

/** The tenant of a list, and the indexes that are worth it. */
type Scope = {
  readonly tenantId: string
  /** Whether it has many objects. A small tenant examines its own objects instead of an index of all tenants. */
  readonly isLarge: boolean
  /** Whether `name_search` finds the parts of names. */
  readonly isSearched: boolean
}

/** A query that finds the IDs of the rows for a condition, and the same condition for one row. */
type ConditionSql = {
  readonly ids: (scope: Scope) => RawBuilder<unknown>
  readonly row: () => RawBuilder<unknown>
}

type ComparisonSql = {
  readonly ids: (comparison: IndexedComparison, scope: Scope) => RawBuilder<unknown>
  readonly row: (comparison: IndexedComparison) => RawBuilder<unknown>
}

/** How each index serves a comparison. */
const indexes: Readonly<Partial<Record<`${ListedKind} ${ListIndex}`, ComparisonSql>>> = {
  'application id': guidColumn('application', 'id'),
  'application appId': guidColumn('application', 'app_id'),
  'application displayName': displayed('application'),
  'application identifierUri': {
    ids: (one, { tenantId }) => sql`
      select application_id as id from identifier_uri
      where tenant_id = ${tenantId} and ${keyIs('uri_key', one)}`,
    row: (one) => sql`
      exists (
        select 1 from identifier_uri
        where application_id = application.id and ${keyIs('uri_key', one)}
      )`,
  },
  'application requestedApi': {
    ids: (one, { tenantId }) => sql`
      select id from application
      where tenant_id = ${tenantId} and ${requests(one)}`,
    row: (one) => requests(one),
  },
  'servicePrincipal id': guidColumn('service_principal', 'id'),
  'servicePrincipal appId': guidColumn('service_principal', 'app_id'),
  'servicePrincipal displayName': displayed('service_principal'),
  'servicePrincipal name': {
    ids: (one, { tenantId, isLarge }) =>
      one.operator !== 'eq' && !isLarge
        ? sql`select id from service_principal where tenant_id = ${tenantId} and ${hasName(one)}`
        : sql`select id from service_principal
            where tenant_id = ${tenantId} and ${guidIs('app_id', one)}
            union all ${named(one, tenantId, sql`=`)} union all ${named(one, tenantId, sql`<>`)}`,
    row: hasName,
  },
}

/** The principals of APIs by the URIs of the own tenant, or of others. */
function named(one: IndexedComparison, tenantId: string, isOf: RawBuilder<unknown>) {
  // SQLite has no statistics: a cross join keeps its order.
  return sql`select service_principal.id
    from identifier_uri cross join application cross join service_principal
    where identifier_uri.tenant_id ${isOf} ${tenantId} and ${keyIs('uri_key', one)}
      and application.id = application_id and service_principal.app_id = application.app_id
      and service_principal.tenant_id = ${tenantId}`
}

function hasName(one: IndexedComparison): RawBuilder<unknown> {
  return sql`(${guidIs('service_principal.app_id', one)} or exists (
    select 1 from application inner join identifier_uri on application_id = application.id
    where application.app_id = service_principal.app_id and ${keyIs('uri_key', one)}
  ))`
}

/** @returns undefined when a part of the condition has no index */
export function conditionSql(kind: ListedKind, condition: ListCondition): ConditionSql | undefined {
  const comparisons = 'anyOf' in condition ? condition.anyOf : [condition]
  const parts = comparisons.map((one) => ({ one, served: indexes[`${kind} ${one.index}`] }))
  const served = parts.flatMap(({ one, served }) => (served === undefined ? [] : [{ one, served }]))
  if (served.length < parts.length) return undefined
  return {
    ids: (scope) =>
      sql.join(
        served.map(({ one, served }) => served.ids(one, scope)),
        sql` union all `,
      ),
    row: () =>
      sql`(${sql.join(
        served.map(({ one, served }) => served.row(one)),
        sql` or `,
      )})`,
  }
}

function guidColumn(table: string, name: string): ComparisonSql {
  return {
    ids: (one, { tenantId }) =>
      sql`select id from ${sql.table(table)} where tenant_id = ${tenantId} and ${guidIs(name, one)}`,
    row: (one) => guidIs(name, one),
  }
}

const isSearch = ({ operator }: IndexedComparison): boolean =>
  operator === 'contains' || operator === 'startsWord'

/** True if the best index for a condition depends on the size of the tenant. */
export const dependsOnSize = (condition: ListCondition): boolean =>
  ('anyOf' in condition ? condition.anyOf : [condition]).some(
    (one) => (one.index === 'displayName' && isSearch(one)) || one.index === 'name',
  )

/** The index of texts in SQLite, and the column of its texts. */
const searchOf = ({ operator }: IndexedComparison) =>
  operator === 'startsWord'
    ? { search: 'word_search', column: 'word_starts' }
    : { search: 'name_search', column: 'name_key' }

/** The part of a stored text by which a comparison finds it. */
const partOf = ({ operator, text }: IndexedComparison): string =>
  operator === 'startsWord' ? ` ${nameKey(text)} ` : nameKey(text)

function displayed(table: string): ComparisonSql {
  return {
    ids: (one, { tenantId, isSearched }) => {
      const { search, column } = searchOf(one)
      return isSearched && isSearch(one)
        ? sql`select object_id as id from ${sql.table(search)} cross join searchable_name
            where ${sql.ref(search)} match ${`"${partOf(one).replaceAll('"', '""')}"`}
              and number = ${sql.table(search)}.rowid and kind = ${table} and tenant_id = ${tenantId}`
        : sql`select id from ${sql.table(table)}
            where tenant_id = ${tenantId} and ${keyIs(column, one)}`
    },
    row: (one) => {
      const { column } = searchOf(one)
      const isFound = keyIs(column, one)
      // The indexes of lists have the key, so SQLite reads the words of few rows.
      return one.operator === 'startsWord'
        ? sql`(${contains(sql.ref('name_key'), nameKey(one.text))} and ${isFound})`
        : isFound
    },
  }
}

const lastCharacter = '\u{10ffff}'

function keyIs(name: string, one: IndexedComparison): RawBuilder<unknown> {
  const { operator } = one
  const key = partOf(one)
  const value = sql.ref(name)
  if (operator === 'eq') return sql`${value} = ${key}`
  // Only PostgreSQL may have an index for it. Without one each key is examined, but not each object.
  if (isSearch(one)) return contains(value, key)
  return sql`(${value} >= ${key} and ${value} < ${`${key}${lastCharacter}`})`
}

const contains = (value: RawBuilder<unknown>, text: string): RawBuilder<unknown> =>
  sql`${value} like ${`%${text.replaceAll(/[!%_]/g, '!$&')}%`} escape '!'`

const requests = ({ text }: IndexedComparison) =>
  contains(sql.ref('required_resource_access'), `"resourceAppId":"${text.toLowerCase()}"`)

const firstGuid = '00000000-0000-0000-0000-000000000000'
const lastGuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Both ends of a range are GUIDs, so the order does not depend on the collation of the database. */
function guidIs(name: string, { operator, text }: IndexedComparison): RawBuilder<unknown> {
  const start = text.toLowerCase()
  const value = sql.ref(name)
  if (operator === 'eq') return sql`${value} = ${start}`
  if (operator === 'contains') return contains(value, start)
  const [from, to] = [firstGuid, lastGuid].map((end) => start + end.slice(start.length))
  if (from === undefined || !isGuid(from)) return sql`1 = 0`
  return sql`(${value} >= ${from} and ${value} <= ${to})`
}
