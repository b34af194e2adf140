import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  Kysely,
  type Transaction,
} from 'kysely'
import type { Tables } from './rows/tables.ts'

/** One adapter for each language, by which compiled statements are kept. */
const adapters = new WeakMap<object, DialectAdapter>()

/**
 * The compiled statements of a function, which are not executed. The function sees each of them change one row.
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
  const adapter = adapters.get(language) ?? language.createAdapter()
  adapters.set(language, adapter)
  const dialect: Dialect = {
    createDriver: () => new RecordingDriver(),
    createQueryCompiler: () => language.createQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => language.createIntrospector(db),
  }
  await write(new Kysely<Tables>({ dialect }) as Transaction<Tables>)
  return statements
}
