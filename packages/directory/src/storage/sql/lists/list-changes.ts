import { type Kysely, type RawBuilder, sql } from 'kysely'
import type {
  ChangePage,
  ChangePosition,
  ChangeQuery,
  FollowedKind,
} from '../../../live/change-list.ts'
import { beginning } from '../../../live/commit.ts'
import { DirectoryCache } from '../../../live/directory-cache.ts'
import type { DirectoryObjects } from '../../../model/directory-change.ts'
import { removalsKept } from '../directory/changed-objects.ts'
import { completeIn, hasCommit } from '../directory/directory-commits.ts'
import { inParts, padded } from '../rows/list-parameter.ts'
import { objectsOf } from '../rows/object-queries.ts'
import type { Tables } from '../rows/tables.ts'
import { listedTables } from './list-conditions.ts'
import { relatedObjects } from './list-related.ts'

/**
 * Reads one page of a list of changes. Indexes find the changed objects, so unchanged ones cost nothing.
 *
 * @param db a snapshot of the directory
 * @returns undefined when the log does not have the commits of the query, or not all removals since then
 */
export async function listChanges<Kind extends FollowedKind>(
  db: Kysely<Tables>,
  query: ChangeQuery<Kind>,
): Promise<ChangePage<Kind> | undefined> {
  const { ids, kind, limit, since, tenantId } = query
  const latest = await completeIn(db, since ?? beginning)
  const until = query.until ?? latest
  for (const one of [since, until])
    if (one !== undefined && !(await hasCommit(db, one))) return undefined
  if (since && latest.revision - since.revision > removalsKept[kind]) return undefined
  const found = ids?.length === 0 ? [] : await changedIds(db, query, until.revision)
  const page = found.slice(0, limit)
  // A service principal that changed together with its application is found twice.
  const changed = [...new Set(page.map(({ id }) => id))]
  const rows = await inParts(changed, async (some) => {
    const table = sql.table(listedTables[kind])
    return (await sql<never>`select * from ${table} where id in (${sql.join(some)})`.execute(db))
      .rows
  })
  const objects = await objectsOf(db, kind, rows)
  const directory = new DirectoryCache(Number.POSITIVE_INFINITY)
  directory.add(await relatedObjects(db, { kind, tenantId }, objects))
  const byId = new Map(objects.map(({ id, value }) => [id, value as DirectoryObjects[Kind]]))
  return {
    objects: changed.map((id) => ({ id, value: byId.get(id) ?? null })),
    directory,
    until,
    next: found.length > page.length ? page.at(-1) : undefined,
  }
}

/** The objects after the position of a query, and one more than its limit. */
async function changedIds<Kind extends FollowedKind>(
  db: Kysely<Tables>,
  { after, ids, kind, limit, since, tenantId }: ChangeQuery<Kind>,
  until: number,
): Promise<ChangePosition[]> {
  const table = listedTables[kind]
  /** The rows of one source, by the columns of their revision and ID. */
  const some = (revision: string, id: string, from: RawBuilder<unknown>) => {
    const columns = [sql.ref(revision), sql.ref(id)] as const
    const isAfter =
      after === undefined
        ? sql`${columns[0]} > ${since?.revision ?? 0}`
        : sql`(${sql.join(columns)}) > (${after.revision}, ${after.id})`
    const isWanted =
      ids === undefined ? sql`` : sql`and ${columns[1]} in (${sql.join(padded(ids))})`
    return sql`select * from (
      select ${columns[1]} as id, ${columns[0]} as revision
      ${from} and ${isAfter} and ${columns[0]} <= ${until} ${isWanted}
      order by ${columns[0]}, ${columns[1]} limit ${limit + 1}
    ) as part`
  }
  const isPresent = since === undefined ? sql`and deleted_at is null` : sql``
  const sources = [
    some(
      'revision',
      'id',
      sql`from ${sql.table(table)} where tenant_id = ${tenantId} ${isPresent}`,
    ),
  ]
  if (since !== undefined) {
    const removed = sql`from removed_object where tenant_id = ${tenantId} and kind = ${kind}`
    sources.push(some('revision', 'id', removed))
  }
  if (since !== undefined && kind === 'servicePrincipal') {
    // An application changes its service principals too. SQLite has no statistics: a cross join keeps its order.
    const changed = sql`
      from application cross join service_principal
      where service_principal.app_id = application.app_id
        and service_principal.tenant_id = ${tenantId}`
    sources.push(some('application.revision', 'service_principal.id', changed))
  }
  const { rows } = await sql<ChangePosition>`
    select id, revision from (${sql.join(sources, sql` union all `)}) as changed
    order by revision, id limit ${limit + 1}
  `.execute(db)
  return rows
}
