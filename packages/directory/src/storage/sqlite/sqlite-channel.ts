export type SqliteStatement = {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Whether it belongs to the transaction that is open. It fails when that transaction has ended. */
  readonly isInTransaction: boolean
}

/** The statements of one transaction that do not need each other's results. */
export type SqliteBatch = {
  readonly batch: readonly Omit<SqliteStatement, 'isInTransaction'>[]
  /** The index of the statement that must change a row, or nothing is written; default 0. */
  readonly decisive?: number
}

/** The result of a statement. Rows are arrays, because copying arrays to another thread costs half. */
export type SqliteAnswer = {
  /** The columns of the rows; empty for a statement that returns no rows. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** The number of rows that the statement changed. */
  readonly changes: number
}

/** A channel to one connection, in this thread or another one. Statements run in the order of the calls. */
export interface SqliteChannel {
  execute(statement: SqliteStatement): Promise<SqliteAnswer>
  /**
   * Runs statements in one transaction. When the decisive one changes no row, nothing is written.
   *
   * @returns the answer to the decisive statement; `changes` counts the rows that it returns too
   */
  executeBatch(batch: SqliteBatch): Promise<SqliteAnswer>
  /** Closes the connection after the statements that wait. */
  close(): Promise<void>
}
