import { parentPort, workerData } from 'node:worker_threads'
import { SqliteFile } from '../sqlite-file.ts'
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

port.on('message', (request: ThreadRequest) => {
  if (request === undefined) {
    runner?.close()
    port.close()
  } else port.postMessage(reply(request))
})

function reply(request: NonNullable<ThreadRequest>): ThreadReply {
  try {
    // A file that cannot be opened is tried again with the next statement.
    runner ??= new StatementRunner(
      new SqliteFile(path, (isReplacement) => open(path, isReplacement)),
    )
    return { answer: 'batch' in request ? runner.runBatch(request) : runner.run(request) }
  } catch (error) {
    return { error: transferError(error) }
  }
}
