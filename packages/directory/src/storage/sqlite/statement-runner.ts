import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SqliteAnswer, SqliteBatch, SqliteChannel, SqliteStatement } from './sqlite-channel.ts'

const maxPreparedStatements = 200

/** Provides the connection. It is called before each statement that is not in a transaction. */
export type SqliteSource = { readonly current: () => DatabaseSync; readonly close: () => void }

/** Runs statements on a connection of this thread. */
export class StatementRunner {
  readonly #source: SqliteSource
  readonly #prepared = new Map<string, StatementSync>()
  #database: DatabaseSync | undefined

  constructor(source: SqliteSource) {
    this.#source = source
  }

  /** @throws {Error} the error of SQLite, or of the source */
  run({ sql, parameters, isInTransaction }: SqliteStatement): SqliteAnswer {
    if (isInTransaction && !this.#hasTransaction) {
      // SQLite rolls back by itself after some faults, such as a full disk.
      if (sql === 'rollback') return { columns: [], rows: [], changes: 0 }
      // Without this check, the rest of the transaction would be written without its beginning.
      throw new TypeError('the transaction of this statement has ended')
    }
    const statement = this.#prepare(sql)
    const inputs = parameters as SQLInputValue[]
    if (statement.columns().length === 0)
      return { columns: [], rows: [], changes: Number(statement.run(...inputs).changes) }
    const rows = statement.all(...inputs) as unknown as unknown[][]
    // Read after the run: SQLite prepares a statement again when the tables have changed.
    return { columns: statement.columns().map(({ name }) => name), rows, changes: 0 }
  }

  /** @throws {Error} the error of SQLite, or of the source; then nothing is written */
  runBatch({ batch, decisive = 0 }: SqliteBatch): SqliteAnswer {
    const run = (sql: string, parameters: readonly unknown[] = [], isInTransaction = true) =>
      this.run({ sql, parameters, isInTransaction })
    run('begin immediate', [], false)
    try {
      let decided: SqliteAnswer = { columns: [], rows: [], changes: 0 }
      let changed = 0
      for (const [index, { sql, parameters }] of batch.entries()) {
        const answer = run(sql, parameters)
        if (index !== decisive) continue
        decided = answer
        changed = answer.changes || answer.rows.length
        if (changed === 0) break
      }
      run(changed > 0 ? 'commit' : 'rollback')
      return { ...decided, changes: changed }
    } catch (error) {
      run('rollback')
      throw error
    }
  }

  close(): void {
    this.#source.close()
  }

  get #hasTransaction(): boolean {
    return this.#database?.isOpen === true && this.#database.isTransaction
  }

  #prepare(sql: string): StatementSync {
    const database = this.#current()
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    if (this.#prepared.size >= maxPreparedStatements) this.#prepared.clear()
    this.#prepared.set(sql, statement)
    return statement
  }

  #current(): DatabaseSync {
    if (this.#database !== undefined && this.#hasTransaction) return this.#database
    const current = this.#source.current()
    if (current !== this.#database) this.#prepared.clear()
    this.#database = current
    return current
  }
}

/** A channel to a connection of this thread. Every statement blocks the thread until it is done. */
export const localChannel = (runner: StatementRunner): SqliteChannel => ({
  execute: async (statement) => runner.run(statement),
  executeBatch: async (batch) => runner.runBatch(batch),
  close: async () => runner.close(),
})
