import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { isBusy } from './sqlite-fault.ts'

/** How long, in milliseconds, a write waits for the writer of another process. */
export const defaultPatienceMs = 5000

const longestPauseMs = 20
const statementsKept = 200

/** Where a connection comes from: asked before each statement that is not within a transaction. */
export type SqliteSource = { readonly current: () => DatabaseSync }

/** Kysely over `node:sqlite`, for a file that several processes may write to. */
export class NodeSqliteDialect implements Dialect {
  readonly #source: SqliteSource
  readonly #patienceMs: number

  constructor(source: SqliteSource, patienceMs: number) {
    this.#source = source
    this.#patienceMs = patienceMs
  }

  createDriver = (): Driver => new NodeSqliteDriver(this.#source, this.#patienceMs)
  createQueryCompiler = () => new SqliteQueryCompiler()
  createAdapter = () => new TransactionalSqliteAdapter()
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db)
}

/** A migration is whole or not at all: SQLite can do it, Kysely by default does not ask for it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #connection: KeptStatements
  readonly #patienceMs: number

  constructor(source: SqliteSource, patienceMs: number) {
    const connection = new KeptStatements(source)
    super({ database: connection })
    this.#connection = connection
    this.#patienceMs = patienceMs
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    if (accessMode === 'read only') {
      await connection.executeQuery(CompiledQuery.raw('begin'))
      return
    }
    // The lock is taken at once: a transaction that begins by reading could find, when it writes,
    // that another wrote in between. Waiting must not block the event loop, as SQLite's own does.
    const patience = AbortSignal.timeout(this.#patienceMs)
    for (;;) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'))
        return
      } catch (cause) {
        if (!isBusy(cause) || patience.aborted) throw cause
        await setTimeout(Math.random() * longestPauseMs)
      }
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some faults, such as a full disk, SQLite has rolled back already.
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** The part of `better-sqlite3` that Kysely's driver calls, over `node:sqlite`. */
class KeptStatements {
  readonly #source: SqliteSource
  readonly #kept = new Map<string, StatementSync>()
  #database: DatabaseSync | undefined

  constructor(source: SqliteSource) {
    this.#source = source
  }

  get isTransaction(): boolean {
    return this.#database?.isOpen === true && this.#database.isTransaction
  }

  close(): void {
    if (this.#database?.isOpen) this.#database.close()
  }

  prepare(sql: string) {
    const statement = this.#statement(sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
      run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
      iterate: (parameters: readonly unknown[]) =>
        statement.iterate(...(parameters as SQLInputValue[])),
    }
  }

  #statement(sql: string): StatementSync {
    const database = this.#present()
    const statement = this.#kept.get(sql) ?? database.prepare(sql)
    if (this.#kept.size >= statementsKept) this.#kept.clear()
    this.#kept.set(sql, statement)
    return statement
  }

  #present(): DatabaseSync {
    if (this.#database !== undefined && this.isTransaction) return this.#database
    const present = this.#source.current()
    if (present !== this.#database) this.#kept.clear()
    this.#database = present
    return present
  }
}
