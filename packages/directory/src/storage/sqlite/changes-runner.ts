import { Kysely } from 'kysely'
import type { Followed } from '../../live/directory-log.ts'
import { answerChanges, type ChangesQuestion } from '../sql/directory/changes-question.ts'
import type { Tables } from '../sql/rows/tables.ts'
import { defaultMaxWaitMs, nodeSqliteDialect } from './sqlite-dialect.ts'
import { localChannel, type StatementRunner } from './statement-runner.ts'

const databases = new WeakMap<StatementRunner, Kysely<Tables>>()

/**
 * Executes a follower's query on the connection of this thread.
 *
 * @throws {Error} the error of SQLite
 */
export function changesWith(runner: StatementRunner, question: ChangesQuestion): Promise<Followed> {
  let database = databases.get(runner)
  if (database === undefined) {
    const dialect = nodeSqliteDialect(localChannel(runner), defaultMaxWaitMs)
    database = new Kysely<Tables>({ dialect })
    databases.set(runner, database)
  }
  return answerChanges(database, question)
}
