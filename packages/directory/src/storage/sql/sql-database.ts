// Folder: What both databases share: the directory, lists, logs, rows and migrations in SQL.

import { type CompiledQuery, type Dialect, type Kysely, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Followed } from '../../live/directory-log.ts'
import { QuotaExceededError } from '../../live/object-quota.ts'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import { answerChanges, type ChangesQuestion } from './directory/changes-question.ts'
import {
  appliedMigrations,
  isBeforeFirstSchema,
  laterExpansions,
  wayFromBefore,
} from './migrations/later-migrations.ts'
import { migrations } from './migrations/migrations.ts'
import { recordedStatements } from './recorded-statements.ts'
import type { Tables } from './rows/tables.ts'

/** The parts that differ between kinds of databases. */
export type SqlDatabaseOptions = {
  readonly kysely: Kysely<Tables>
  /** The language of the statements. */
  readonly dialect: Dialect
  /**
   * Runs statements in one transaction and in one step. When the one at the index `decisive` changes no
   * row, it writes nothing and returns undefined, otherwise the rows which that statement returns. Default:
   * one step for each statement.
   */
  readonly runBatch?: (
    statements: readonly CompiledQuery[],
    decisive: number,
  ) => Promise<readonly unknown[] | undefined>
  /**
   * Answers a follower's query in one step, on a separate connection. The first answer may
   * take long. Default: one step for each query.
   */
  readonly changesInOneStep?: (question: ChangesQuestion) => Promise<Followed>
  /** How many questions with lookups have one step for each query at first; default 0. */
  readonly oneStepAfter?: number
  /** For queries that write nothing; default `kysely`. */
  readonly readers?: Kysely<Tables>
  /** For long queries that write nothing; default `readers`. */
  readonly reports?: Kysely<Tables>
  /** Whether a query of an operator may be long; default always. */
  readonly isLarge?: () => Promise<boolean>
  /** A statement for the bytes of the file or the database, in the column `bytes`. */
  readonly bytesQuery: string
  /** A query for the clock of the database, in the column `ms`; undefined when it is the clock of this process. */
  readonly clockQuery?: string
  /** Closes the connections of all of them; default: closing each of them closes its own. */
  readonly close?: () => Promise<void>
  /**
   * The message for a fault of the database itself (unavailable, full, locked, damaged); undefined for a
   * fault of the query.
   */
  readonly faultOf: (error: unknown) => string | undefined
  /** Whether the database rolled back because of another transaction, so that a repetition can succeed. */
  readonly isRolledBack?: (error: unknown) => boolean
}

/** How often an access is tried that the database rolls back because of others. */
const maxAttempts = 5

/** A kind of access to the database. */
export type QueryKind = 'ask' | 'report' | 'snapshot' | 'write'

/** Receives the result and the duration of each access, in seconds. */
export type ObserveQuery = (kind: QueryKind, isDone: boolean, seconds: number) => void

/** A database of any kind, used through Kysely. Each of its faults is a `StorageUnavailableError`. */
export class SqlDatabase {
  readonly #options: SqlDatabaseOptions &
    Required<Pick<SqlDatabaseOptions, 'readers' | 'reports' | 'isLarge' | 'isRolledBack'>>
  #oneStepAfter: number
  #observe: ObserveQuery | undefined

  constructor(options: SqlDatabaseOptions) {
    const { kysely, readers = kysely, reports = readers, oneStepAfter = 0 } = options
    this.#options = {
      isLarge: async () => true,
      isRolledBack: () => false,
      ...options,
      readers,
      reports,
    }
    this.#oneStepAfter = oneStepAfter
  }

  /** Measures each access from now on. */
  observe(observe: ObserveQuery): void {
    this.#observe = observe
  }

  /** Runs one short query, and writes nothing. */
  ask<Answer>(question: (db: Kysely<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard('ask', () => question(this.#options.readers))
  }

  /** Runs one query that may take long, such as one of an operator. It delays no query of `ask`. */
  report<Answer>(question: (db: Kysely<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard('report', async () => question(await this.#forReports()))
  }

  /** Runs several queries on the same state of the database. */
  snapshot<Answer>(questions: (db: Transaction<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard('snapshot', () => snapshotOf(this.#options.readers, questions))
  }

  /** Runs the queries of an operator on the same state of the database. They delay no query of `ask`. */
  reportSnapshot<Answer>(questions: (db: Transaction<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard('report', async () => snapshotOf(await this.#forReports(), questions))
  }

  async #forReports(): Promise<Kysely<Tables>> {
    return (await this.#options.isLarge()) ? this.#options.reports : this.#options.readers
  }

  /** Answers the question of a follower, on one state of the database. */
  changes(question: ChangesQuestion): Promise<Followed> {
    const inOneStep = this.#options.changesInOneStep
    if (inOneStep !== undefined && this.#oneStepAfter === 0)
      return this.#guard('snapshot', () => inOneStep(question))
    if (inOneStep !== undefined && question.lookups.length > 0) {
      this.#oneStepAfter -= 1
      if (this.#oneStepAfter === 0) this.#prepareOneStep(inOneStep, question)
    }
    return this.#guard('snapshot', () => answerChanges(this.#options.readers, question))
  }

  /** No caller waits for the first answer in one step. */
  #prepareOneStep(
    inOneStep: NonNullable<SqlDatabaseOptions['changesInOneStep']>,
    { known }: ChangesQuestion,
  ): void {
    const again = (questions: number) => () => {
      this.#oneStepAfter = questions
    }
    this.#oneStepAfter = Number.POSITIVE_INFINITY
    inOneStep({ known, lookups: [] }).then(again(0), again(1))
  }

  /** Writes completely or not at all. After any error nothing is written. */
  write<Result>(statements: (db: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#guard('write', () => this.#options.kysely.transaction().execute(statements))
  }

  /**
   * Writes statements that do not need each other's answers, all or none of them.
   *
   * @param statements returns undefined, after the decisive statement, when that changed no row; otherwise
   *   the rows which it returned
   * @param decisive the index of the decisive statement; default 0
   * @returns the rows which the decisive statement returned; undefined when nothing was written
   */
  async writeBatch<Row>(
    statements: (db: Transaction<Tables>) => Promise<readonly Row[] | undefined>,
    decisive = 0,
  ): Promise<readonly Row[] | undefined> {
    const runBatch = this.#options.runBatch
    if (runBatch === undefined) return this.write(statements)
    const recorded = await recordedStatements(this.#options.dialect, statements)
    const rows = await this.#guard('write', () => runBatch(recorded, decisive))
    return rows as readonly Row[] | undefined
  }

  /**
   * Runs the migrations that are missing. Of several processes, one runs them.
   *
   * @param last the name of the last one to run; default all
   * @throws {StorageUnavailableError} storage_unavailable when a later release has removed a part of the tables
   */
  async migrate(last?: string): Promise<void> {
    const applied = await this.#guard('ask', () => appliedMigrations(this.#options.kysely))
    if (isBeforeFirstSchema(applied))
      throw new StorageUnavailableError(
        `An early release made the tables of the store. Nothing was changed: ${wayFromBefore}.`,
      )
    const known = { ...migrations, ...laterExpansions(applied) }
    const migrator = new Migrator({
      db: this.#options.kysely,
      provider: { getMigrations: async () => known },
    })
    const { error } = await this.#guard('write', () =>
      last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last),
    )
    if (error === undefined) return
    if (error instanceof StorageUnavailableError) throw error
    const { message } = error as Error
    // Kysely has no class for it, and the driver of PostgreSQL calls each unknown error one of the network.
    const fault = message.startsWith('corrupted migrations')
      ? undefined
      : this.#options.faultOf(error)
    throw new StorageUnavailableError(
      fault ?? `The tables of the store do not belong to this release: ${message}`,
      { cause: error },
    )
  }

  /** Whether this release can use the tables as they are. It writes nothing. */
  async isMigrated(): Promise<boolean> {
    const applied = await this.ask(appliedMigrations)
    const known = { ...migrations, ...laterExpansions(applied) }
    const isApplied = new Set(applied)
    return (
      applied.every((name) => name in known) &&
      Object.keys(known).every((name) => isApplied.has(name))
    )
  }

  /** Whether it has no tables or no tenant, as before the first start of a server. */
  async isEmpty(): Promise<boolean> {
    const applied = await this.ask(appliedMigrations)
    if (applied.length === 0 || isBeforeFirstSchema(applied)) return applied.length === 0
    const one = (db: Kysely<Tables>) => db.selectFrom('tenant').select('id').limit(1)
    return (await this.ask((db) => one(db).execute())).length === 0
  }

  /** The bytes of the data file or the database. */
  async bytes(): Promise<number> {
    const { rows } = await this.report((db) =>
      sql.raw<{ bytes: number | string }>(this.#options.bytesQuery).execute(db),
    )
    return Number(rows[0]?.bytes)
  }

  /** The time of the database in epoch milliseconds; undefined when it uses the clock of this process. */
  async clockMs(): Promise<number | undefined> {
    const query = this.#options.clockQuery
    if (query === undefined) return undefined
    const { rows } = await this.ask((db) => sql.raw<{ ms: number | string }>(query).execute(db))
    return Number(rows[0]?.ms)
  }

  async close(): Promise<void> {
    for (const kysely of new Set([
      this.#options.reports,
      this.#options.readers,
      this.#options.kysely,
    ]))
      await kysely.destroy()
    // Kysely does not close a connection that it never used.
    await this.#options.close?.()
  }

  async #guard<Answer>(kind: QueryKind, access: () => Promise<Answer>): Promise<Answer> {
    const startedMs = this.#observe && performance.now()
    let isDone = false
    try {
      const result = await this.#repeated(access)
      isDone = true
      return result
    } catch (cause) {
      const sentence =
        cause instanceof QuotaExceededError ? undefined : this.#options.faultOf(cause)
      if (sentence === undefined) throw cause
      throw new StorageUnavailableError(sentence, { cause })
    } finally {
      if (startedMs !== undefined)
        this.#observe?.(kind, isDone, (performance.now() - startedMs) / 1000)
    }
  }

  /** Nothing is written by an attempt that was rolled back, so the next one begins again. */
  async #repeated<Answer>(access: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await access()
      } catch (cause) {
        if (attempt === maxAttempts || !this.#options.isRolledBack(cause)) throw cause
      }
    }
  }
}

const snapshotOf = <Answer>(
  readers: Kysely<Tables>,
  questions: (db: Transaction<Tables>) => Promise<Answer>,
): Promise<Answer> =>
  readers
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(questions)
