import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Transaction,
} from 'kysely'
import type { Tables } from './tables.ts'

const adapter = new SqliteAdapter()

/**
 * The statements of a function for SQLite, compiled and not executed. To each statement the function
 * gets the answer that one row was changed.
 */
export async function recordedStatements(
  write: (db: Transaction<Tables>) => Promise<unknown>,
): Promise<readonly CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  const connection: DatabaseConnection = {
    executeQuery: async (statement) => {
      statements.push(statement)
      return { rows: [], numAffectedRows: 1n }
    },
    streamQuery: () => {
      throw new TypeError('a recorded statement has no rows')
    },
  }
  class RecordingDriver extends DummyDriver {
    override acquireConnection = async () => connection
  }
  const dialect: Dialect = {
    createDriver: () => new RecordingDriver(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
  await write(new Kysely<Tables>({ dialect }) as Transaction<Tables>)
  return statements
}
