import { parentPort, workerData } from 'node:worker_threads'
import type { ChangesQuestion } from '../sql/changes-question.ts'
import { SqliteFile } from '../sqlite-file.ts'
import type { SqliteBatch, SqliteStatement } from './sqlite-channel.ts'
import { openReader, openWriter } from './sqlite-connection.ts'
import type { ThreadConnection, ThreadReply, ThreadRequest } from './sqlite-thread.ts'
import { StatementRunner } from './statement-runner.ts'
import { transferError } from './transferred-error.ts'

// The entry of the worker thread: it runs the statements and batches that it receives on one connection.
const port = parentPort
if (port === null) throw new TypeError('sqlite-worker runs in a worker thread only')

const { path, role } = workerData as ThreadConnection
const open = { writer: openWriter, reader: openReader }[role]
let runner: StatementRunner | undefined
/** Set while requests wait: a question has several statements, and replies keep the order. */
let waiting: Promise<void> | undefined

port.on('message', (request: ThreadRequest) => {
  const isQuestion = request !== undefined && 'lookups' in request
  if (waiting === undefined && !isQuestion) return handle(request)
  const turn = (waiting ?? Promise.resolve()).then(() => handle(request))
  waiting = turn
  void turn.then(() => {
    if (waiting === turn) waiting = undefined
  })
})

function handle(request: ThreadRequest): void | Promise<void> {
  if (request === undefined) {
    runner?.close()
    port?.close()
  } else if ('lookups' in request)
    return answerToQuestion(request).then((reply) => port?.postMessage(reply))
  else port?.postMessage(replyTo(request))
}

function replyTo(request: SqliteStatement | SqliteBatch): ThreadReply {
  try {
    // A file that cannot be opened is tried again with the next statement.
    runner ??= newRunner()
    return { answer: 'batch' in request ? runner.runBatch(request) : runner.run(request) }
  } catch (error) {
    return { error: transferError(error) }
  }
}

async function answerToQuestion(question: ChangesQuestion): Promise<ThreadReply> {
  try {
    // A thread without questions does not load Kysely.
    const { changesWith } = await import('./changes-runner.ts')
    runner ??= newRunner()
    return { answer: await changesWith(runner, question) }
  } catch (error) {
    return { error: transferError(error) }
  }
}

const newRunner = () =>
  new StatementRunner(new SqliteFile(path, (isReplacement) => open(path, isReplacement)))
