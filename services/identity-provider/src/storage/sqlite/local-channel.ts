import type { SqliteAnswer, SqliteBatch, SqliteChannel, SqliteStatement } from './sqlite-channel.ts'
import type { StatementRunner } from './statement-runner.ts'

/** A channel to a connection of this thread: every statement stops the thread until it is done. */
export class LocalChannel implements SqliteChannel {
  readonly #runner: StatementRunner

  constructor(runner: StatementRunner) {
    this.#runner = runner
  }

  async execute(statement: SqliteStatement): Promise<SqliteAnswer> {
    return this.#runner.run(statement)
  }

  async executeBatch(batch: SqliteBatch): Promise<SqliteAnswer> {
    return this.#runner.runBatch(batch)
  }

  async close(): Promise<void> {
    this.#runner.close()
  }
}
