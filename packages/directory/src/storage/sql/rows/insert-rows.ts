import type { Compilable, CompiledQuery, DialectAdapter, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The rows of one statement. With few sizes, few statements are compiled. */
const sizes = [64, 8, 1]

/** Compiled statements by name and number of rows. */
const prepared = new WeakMap<DialectAdapter, Map<string, CompiledQuery>>()

/**
 * Inserts rows with statements that are compiled once, because compiling a statement costs more than running it.
 *
 * @param name the same for all rows that `statementOf` inserts in the same way
 * @param rows all with the same members in the same order
 */
export async function insertRows<Row extends object>(
  db: Kysely<Tables>,
  name: string,
  rows: readonly Row[],
  statementOf: (rows: readonly Row[]) => Compilable,
): Promise<void> {
  const { adapter } = db.getExecutor()
  const statements = prepared.get(adapter) ?? new Map<string, CompiledQuery>()
  prepared.set(adapter, statements)
  for (let start = 0; start < rows.length; ) {
    const size = sizes.find((one) => one <= rows.length - start) ?? 1
    const part = rows.slice(start, start + size)
    const key = `${name} ${size}`
    const statement = statements.get(key) ?? statementOf(part).compile()
    statements.set(key, statement)
    const parameters = part.flatMap((row) => Object.values(row))
    await db.executeQuery({ ...statement, parameters })
    start += size
  }
}
