// Folder: The ports of the directory, the audit, the keys and the marks, over the tables.

import type { Kysely, Transaction } from 'kysely'
import type { AuditRecord } from '../../../audit/audit-record.ts'
import { beginning, type Commit, type Known, newMark, type OnCommit } from '../../../live/commit.ts'
import type { DeletedObject } from '../../../live/directory-list.ts'
import {
  type CommitOptions,
  type DirectoryLog,
  type ExclusiveLog,
  type Followed,
  logsOf,
  type TenantSurvey,
} from '../../../live/directory-log.ts'
import type { DirectoryLookup } from '../../../live/directory-lookup.ts'
import { QuotaExceededError } from '../../../live/object-quota.ts'
import type { DirectoryChange } from '../../../model/directory-change.ts'
import { pruneMarks, pruneRemovals } from '../directory/changed-objects.ts'
import { changesIn } from '../directory/changes-question.ts'
import {
  giveUp,
  isOverQuota,
  latestIn,
  numberIn,
  numberLogs,
  positionAfter,
  takeLogs,
} from '../directory/directory-commits.ts'
import { listChanges } from '../lists/list-changes.ts'
import { listPage } from '../lists/list-page.ts'
import { OneAtATime } from '../lists/one-at-a-time.ts'
import { insertAudit } from '../rows/audit-rows.ts'
import { writeChanges } from '../rows/directory-tables.ts'
import { tenantRows } from '../rows/entity-rows.ts'
import { text } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** The directory in a database: a table for each kind of object and of part. */
export class SqlDirectoryLog implements DirectoryLog {
  readonly #database: SqlDatabase
  readonly #onCommit: OnCommit
  readonly #scans = new OneAtATime()

  constructor(database: SqlDatabase, onCommit: OnCommit = async () => undefined) {
    this.#database = database
    this.#onCommit = onCommit
  }

  latest = () => this.#database.ask(latestIn)

  // At a start no request waits for the connection of short queries, and the other has no thread yet.
  surveyTenants: DirectoryLog['surveyTenants'] = (appIds, limit) =>
    this.#database.snapshot((db) => surveyTenants(db, appIds, limit))

  async changesAfter(
    known: Known = beginning,
    lookups: readonly DirectoryLookup[] = [],
  ): Promise<Followed> {
    if (lookups.length === 0) {
      // Every replica asks several times a second, and mostly there is nothing new.
      const { hasKnown, latest } = await this.#database.ask((db) => positionAfter(db, known))
      if (!hasKnown) return { latest, hasKnown, changes: undefined, loaded: [] }
      if (latest === known) return { latest, hasKnown, changes: [], loaded: [] }
    }
    // The position is read again: another connection may lead to another server, with another past.
    return this.#database.changes({ known, lookups })
  }

  async commit(...written: CommitOf) {
    const commit = writtenCommit(written)
    const { base, logs, options } = commit
    // The statement that takes the number decides, after those of the logs.
    const decisive = options.waitsForLogs ? logs.length : 1
    const rows = await this.#database.writeBatch((db) => writeCommit(db, commit), decisive)
    if (rows === undefined && options.quota !== undefined)
      await this.#database.ask((db) => requireQuota(db, commit))
    const outcome = committed(commit, rows)
    if (outcome !== 'conflict' && outcome !== base) await this.#onCommit('directory', outcome)
    return outcome
  }

  async exclusively<Result>(
    logs: readonly string[],
    write: (log: ExclusiveLog) => Promise<Result>,
  ): Promise<Result> {
    let latest: Commit | undefined
    const result = await this.#database.write(async (db) => {
      await db
        .updateTable('revision')
        .set(({ ref }) => ({ number: ref('number') }))
        .where('log', 'in', logs)
        .execute()
      return write({
        latest: () => latestIn(db),
        changesAfter: (known = beginning, lookups = []) => changesIn(db, { known, lookups }),
        commit: async (...written) => {
          const commit = writtenCommit(written)
          const rows = await writeCommit(db, commit)
          if (rows === undefined) await requireQuota(db, commit)
          const outcome = committed(commit, rows)
          if (outcome !== 'conflict' && outcome !== commit.base) latest = outcome
          return outcome
        },
      })
    })
    if (latest !== undefined) await this.#onCommit('directory', latest)
    return result
  }

  async giveUp(numbers: readonly number[]): Promise<void> {
    await this.#database.write((db) => giveUp(db, numbers, newMark()))
  }

  list: DirectoryLog['list'] = (query) => listPage(this.#database, query, { scans: this.#scans })

  listChanges: DirectoryLog['listChanges'] = (query) =>
    this.#database.reportSnapshot((db) => listChanges(db, query))

  async deletedBefore(time: Date, limit: number): Promise<readonly DeletedObject[]> {
    const found: DeletedObject[] = []
    for (const [kind, table] of deletableTables) {
      const rows = await this.#database.ask((db) =>
        db
          .selectFrom(table)
          .select('id')
          .where('deleted_at', 'is not', null)
          .where('deleted_at', '<', text(time))
          .orderBy('deleted_at')
          .limit(limit - found.length)
          .execute(),
      )
      found.push(...rows.map(({ id }) => ({ kind, id })))
    }
    return found
  }

  async prune(): Promise<void> {
    for (const prunePart of [pruneRemovals, pruneMarks]) {
      while (await this.#database.write(prunePart)) {
        // One part in each transaction, so that no writer waits long.
      }
    }
  }
}

type CommitOf = Parameters<DirectoryLog['commit']>

type WrittenCommit = {
  readonly base: Known
  readonly mark: string
  readonly changes: readonly DirectoryChange[]
  readonly audit: readonly AuditRecord[]
  readonly logs: readonly string[]
  readonly options: CommitOptions
}

const writtenCommit = (
  ...[[base, mark, changes, audit, logs = logsOf(changes), options]]: [CommitOf]
): WrittenCommit => {
  return { base, mark, changes, audit, logs, options: { waitsForLogs: true, ...options } }
}

type CommitNumbers = readonly Pick<Commit, 'revision'>[] | undefined

/** @throws {QuotaExceededError} quota_exceeded when the quota is why a commit was not begun */
async function requireQuota(
  db: Kysely<Tables>,
  { base, logs, options: { quota } }: WrittenCommit,
): Promise<void> {
  if (quota !== undefined && (await isOverQuota(db, logs, base, quota)))
    throw new QuotaExceededError(`A tenant would have more than ${quota.maxObjects} objects`)
}

function committed({ base, changes, mark }: WrittenCommit, rows: CommitNumbers) {
  if (rows === undefined) return 'conflict'
  const [row] = rows
  return changes.length === 0 || row === undefined ? base : { revision: row.revision, mark }
}

const deletableTables = [
  ['application', 'application'],
  ['servicePrincipal', 'service_principal'],
] as const

async function surveyTenants(
  db: Transaction<Tables>,
  appIds: readonly string[],
  limit: number,
): Promise<TenantSurvey> {
  const { revision } = await latestIn(db)
  const oldest = await db
    .selectFrom('tenant')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const lacking: { tenantId: string; appId: string }[] = []
  for (const appId of appIds) {
    const rows = await db
      .selectFrom('tenant')
      .select('id')
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('service_principal')
              .select('service_principal.id')
              .whereRef('service_principal.tenant_id', '=', 'tenant.id')
              .where('app_id', '=', appId)
              .where('deleted_at', 'is', null),
          ),
        ),
      )
      .limit(limit - lacking.length)
      .execute()
    lacking.push(...rows.map(({ id }) => ({ tenantId: id, appId })))
  }
  return { revision, oldest: oldest && tenantRows.fromRow(oldest), lacking }
}

/** @returns the number of the commit; none without changes, and undefined after a conflict */
async function writeCommit(
  db: Transaction<Tables>,
  { audit, base, changes, logs, mark, options }: WrittenCommit,
): Promise<CommitNumbers> {
  const numbers = changes.length === 0 ? [] : await takeLogs(db, logs, base, mark, options)
  if (numbers === undefined) return undefined
  await writeChanges(db, changes, { revision: numberIn(db, 'own'), mark })
  await insertAudit(db, 'directory_audit', 'changes', audit)
  if (changes.length > 0) await numberLogs(db, logs)
  return numbers
}
