import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Followed } from '../../live/directory-log.ts'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import type { ChangesQuestion } from '../sql/directory/changes-question.ts'
import type { SqliteAnswer, SqliteBatch, SqliteChannel, SqliteStatement } from './sqlite-channel.ts'
import type { ThreadConnection, ThreadReply, ThreadRequest } from './thread-requests.ts'
import { errorFrom } from './transferred-error.ts'

export type NewWorker = (connection: ThreadConnection) => Worker

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

// The extension is .ts in the repository, and .js after a build.
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * A channel to a connection in a worker thread, so that no statement stops this thread.
 *
 * The thread starts with the first statement, or before it by `start`. When it ends unexpectedly, for
 * example without memory, its statements fail, and the next statement starts another thread.
 */
export class SqliteThread implements SqliteChannel {
  readonly #connection: ThreadConnection
  readonly #newWorker: NewWorker
  readonly #maxIdleMs: number | undefined
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #waiting: Waiting[] = []
  #isClosed = false
  #refusal: StorageUnavailableError | undefined

  /**
   * @param newWorker starts the thread; default the worker of this folder
   * @param maxIdleMs ends the thread after this time without a request, until the next one; default never
   */
  constructor(
    connection: ThreadConnection,
    newWorker: NewWorker = startWorker,
    maxIdleMs?: number,
  ) {
    this.#connection = connection
    this.#newWorker = newWorker
    this.#maxIdleMs = maxIdleMs
  }

  /** Starts the thread while the caller does something else. */
  start(): void {
    this.#worker ??= this.#startThread()
  }

  /**
   * @throws {StorageUnavailableError} storage_unavailable when the thread ends unexpectedly
   * @throws {Error} the error of the other thread, with the codes of SQLite
   */
  execute(statement: SqliteStatement): Promise<SqliteAnswer> {
    return this.#request(statement) as Promise<SqliteAnswer>
  }

  /**
   * @throws {StorageUnavailableError} storage_unavailable when the thread ends unexpectedly
   * @throws {Error} the error of the other thread, with the codes of SQLite
   */
  executeBatch(batch: SqliteBatch): Promise<SqliteAnswer> {
    return this.#request(batch) as Promise<SqliteAnswer>
  }

  /**
   * Answers the question of a follower with all its queries in the thread.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the thread ends unexpectedly
   * @throws {Error} the error of the other thread, with the codes of SQLite
   */
  changes(question: ChangesQuestion): Promise<Followed> {
    return this.#request(question) as Promise<Followed>
  }

  #request(request: NonNullable<ThreadRequest>): Promise<unknown> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    clearTimeout(this.#idle)
    this.#worker ??= this.#startThread()
    this.#worker.postMessage(request)
    if (this.#waiting.length === 0) this.#worker.ref()
    this.#waiting.push({ resolve, reject })
    return promise
  }

  /** Refuses all later statements, because the file is damaged. */
  refuse(sentence: string, cause: unknown): void {
    this.#refusal ??= new StorageUnavailableError(sentence, { cause })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.refuse(`The data file ${this.#connection.path} is closed.`, undefined)
    clearTimeout(this.#idle)
    const worker = this.#worker
    if (worker === undefined) return
    worker.ref()
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage(undefined satisfies ThreadRequest)
    await ended
  }

  #startThread(): Worker {
    const worker = this.#newWorker(this.#connection)
    // Without requests, the thread does not keep the process alive.
    worker.unref()
    let cause: unknown
    worker.on('message', (reply: ThreadReply) => this.#settle(reply))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      // The end of an idle thread fails no statement of the next one.
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#failWaiting(cause)
    })
    return worker
  }

  /** The thread replies in the order of the requests. */
  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.shift()
    if (this.#waiting.length === 0 && !this.#isClosed) {
      this.#worker?.unref()
      if (this.#maxIdleMs !== undefined)
        this.#idle = setTimeout(() => this.#endIdle(), this.#maxIdleMs).unref()
    }
    if ('answer' in reply) waiting?.resolve(reply.answer)
    else waiting?.reject(errorFrom(reply.error))
  }

  #endIdle(): void {
    this.#worker?.postMessage(undefined satisfies ThreadRequest)
    this.#worker = undefined
  }

  #failWaiting(cause: unknown): void {
    const failed = this.#waiting
    this.#waiting = []
    const sentence = `The thread of the data file ${this.#connection.path} ended unexpectedly.`
    for (const { reject } of failed) reject(new StorageUnavailableError(sentence, { cause }))
  }
}

const startWorker: NewWorker = (workerData) =>
  new Worker(workerUrl, { workerData, name: `sqlite ${workerData.role}` })
