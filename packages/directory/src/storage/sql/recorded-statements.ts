import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type Transaction,
} from 'kysely'
import type { Tables } from './rows/tables.ts'

/**
 * The statements of a function, compiled and not executed. The function sees each of them change one row.
 *
 * @param language the language of the statements
 */
export async function recordedStatements(
  language: Omit<Dialect, 'createDriver'>,
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
    createQueryCompiler: () => language.createQueryCompiler(),
    createAdapter: () => language.createAdapter(),
    createIntrospector: (db) => language.createIntrospector(db),
  }
  await write(new Kysely<Tables>({ dialect }) as Transaction<Tables>)
  return statements
}
