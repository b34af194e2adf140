import type { ChangesQuestion } from '../sql/directory/changes-question.ts'
import type { SqliteBatch, SqliteStatement } from './sqlite-channel.ts'
import { openReader, openWriter } from './sqlite-connection.ts'
import { SqliteFile } from './sqlite-file.ts'
import { StatementRunner } from './statement-runner.ts'
import { type TransferredError, transferError } from './transferred-error.ts'

/** The connection that a thread opens. */
export type ThreadConnection = {
  readonly path: string
  /** `writer` has the only connection that writes. */
  readonly role: 'writer' | 'reader'
}

/** A message to the thread: a statement, a batch, a query, or `undefined` to stop it. */
export type ThreadRequest = SqliteStatement | SqliteBatch | ChangesQuestion | undefined
export type ThreadReply = { readonly answer: unknown } | { readonly error: TransferredError }

/** The port to which replies are sent. */
export type ReplyPort = {
  readonly postMessage: (reply: ThreadReply) => void
  readonly close: () => void
}

/** The requests for one connection, which are executed one after the other in their order. */
export class ThreadRequests {
  readonly #connection: ThreadConnection
  readonly #port: ReplyPort
  #runner: StatementRunner | undefined
  /** Set while requests wait: a question has several statements, and replies keep the order. */
  #waiting: Promise<void> | undefined

  constructor(connection: ThreadConnection, port: ReplyPort) {
    this.#connection = connection
    this.#port = port
  }

  receive(request: ThreadRequest): void {
    const isQuestion = request !== undefined && 'lookups' in request
    if (this.#waiting === undefined && !isQuestion) {
      this.#handle(request)
      return
    }
    const turn = (this.#waiting ?? Promise.resolve()).then(() => this.#handle(request))
    this.#waiting = turn
    void turn.then(() => {
      if (this.#waiting === turn) this.#waiting = undefined
    })
  }

  #handle(request: ThreadRequest): void | Promise<void> {
    if (request === undefined) {
      this.#runner?.close()
      this.#port.close()
    } else if ('lookups' in request)
      return this.#replyToQuestion(request).then((reply) => this.#port.postMessage(reply))
    else this.#port.postMessage(this.#replyTo(request))
  }

  #replyTo(request: SqliteStatement | SqliteBatch): ThreadReply {
    try {
      const runner = this.#opened()
      return { answer: 'batch' in request ? runner.runBatch(request) : runner.run(request) }
    } catch (error) {
      return { error: transferError(error) }
    }
  }

  async #replyToQuestion(question: ChangesQuestion): Promise<ThreadReply> {
    try {
      // A thread without questions does not load Kysely.
      const { changesWith } = await import('./changes-runner.ts')
      return { answer: await changesWith(this.#opened(), question) }
    } catch (error) {
      return { error: transferError(error) }
    }
  }

  /** A file that cannot be opened is tried again with the next request. */
  #opened(): StatementRunner {
    const { path, role } = this.#connection
    const open = { writer: openWriter, reader: openReader }[role]
    this.#runner ??= new StatementRunner(
      new SqliteFile(path, (isReplacement) => open(path, isReplacement)),
    )
    return this.#runner
  }
}
