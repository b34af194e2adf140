import { isDeepStrictEqual } from 'node:util'
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

const maxKeysPerQuery = 512

/**
 * Runs a query for many keys, in parts, and joins the rows.
 *
 * The number of keys of a part is a power of two, so the database prepares few different statements.
 */
export async function inParts<Row>(
  keys: Iterable<string>,
  query: (keys: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all = [...new Set(keys)]
  const rows: Row[] = []
  for (let start = 0; start < all.length; start += maxKeysPerQuery) {
    for (const row of await query(padded(all.slice(start, start + maxKeysPerQuery)))) rows.push(row)
  }
  return rows
}

/** Repeats the last key until the number of keys is a power of two. */
export function padded<Key>(keys: readonly Key[]): Key[] {
  const length = 2 ** Math.ceil(Math.log2(keys.length))
  return [...keys, ...Array.from({ length: length - keys.length }, () => keys.at(-1) as Key)]
}

/** Builds a query whose text depends on the number of its parameters only. */
type Statement<Row, Parameter> = (
  db: Kysely<Tables>,
  parameters: readonly Parameter[],
) => Pick<Compilable<Row>, 'compile'>

type Compiled = Map<Statement<never, never>, Map<number, CompiledQuery>>

/** The compiled statements of each database. */
const compiledFor = new WeakMap<object, Compiled>()

/**
 * Runs a statement that is compiled once for each number of parameters. Without this, Kysely took a
 * fifth of the CPU time for loading a client.
 *
 * @throws {TypeError} when the query has other parameters than the statement, or another order of them
 */
export async function rowsOf<Row, Parameter>(
  db: Kysely<Tables>,
  statement: Statement<Row, Parameter>,
  parameters: readonly Parameter[],
): Promise<readonly Row[]> {
  // The transactions of a database share its adapter.
  const { adapter } = db.getExecutor()
  const compiled: Compiled = compiledFor.get(adapter) ?? new Map()
  compiledFor.set(adapter, compiled)
  const queries = compiled.get(statement) ?? new Map<number, CompiledQuery>()
  compiled.set(statement, queries)
  const query = queries.get(parameters.length) ?? compile(statement(db, parameters), parameters)
  queries.set(parameters.length, query)
  return (await db.executeQuery<Row>({ ...(query as CompiledQuery<Row>), parameters })).rows
}

function compile<Row>(query: Pick<Compilable<Row>, 'compile'>, parameters: readonly unknown[]) {
  const compiled = query.compile()
  if (isDeepStrictEqual(compiled.parameters, parameters)) return compiled
  throw new TypeError(`The parameters have another order in the query: ${compiled.sql}`)
}
