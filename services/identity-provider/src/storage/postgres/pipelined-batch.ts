import type { CompiledQuery, PostgresPool } from 'kysely'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Runs statements that do not need each other's answers in one transaction. All of them are sent before
 * the first answer, so a transaction takes two round trips. When the first changes no row, nothing is
 * written.
 *
 * @param pool its connections must be in pipeline mode
 * @returns whether they were written
 * @throws {Error} the error of the first statement that failed; then nothing is written
 */
export async function runPipelinedBatch(
  pool: PostgresPool,
  statements: readonly Statement[],
): Promise<boolean> {
  const client = await pool.connect()
  const query = ({ sql, parameters }: Statement) => client.query(sql, [...parameters])
  const command = (sql: string) => query({ sql, parameters: [] })
  try {
    const [begun, first, ...others] = await Promise.allSettled([
      command('begin'),
      ...statements.map(query),
    ])
    // After a conflict, the others may fail.
    const isConflict = first?.status === 'fulfilled' && first.value.rowCount === 0
    const decisive = isConflict ? [begun, first] : [begun, first, ...others]
    const failed = decisive.find((one) => one?.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    await command(isConflict ? 'rollback' : 'commit')
    return !isConflict
  } catch (cause) {
    await command('rollback').catch(() => undefined)
    throw cause
  } finally {
    client.release()
  }
}
