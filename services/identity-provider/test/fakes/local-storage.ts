import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { NewWorker } from '../../src/storage/sqlite/sqlite-thread.ts'
import { type ThreadConnection, ThreadRequests } from '../../src/storage/sqlite/thread-requests.ts'
import { openStorage, type Storage, type StorageOptions } from '../../src/storage/storage.ts'

/** A worker without a thread of its own: it does the same in this thread, in later turns of its event loop. */
class LocalWorker extends EventEmitter {
  readonly #requests: ThreadRequests

  constructor(connection: ThreadConnection) {
    super()
    this.#requests = new ThreadRequests(connection, {
      postMessage: (reply) => this.emit('message', structuredClone(reply)),
      close: () => this.emit('exit', 0),
    })
  }

  postMessage(request: unknown): void {
    const copy = structuredClone(request)
    setImmediate(() => this.#requests.receive(copy as Parameters<ThreadRequests['receive']>[0]))
  }

  ref(): void {}
  unref(): void {}
}

const newLocalWorker: NewWorker = (connection) => new LocalWorker(connection) as unknown as Worker

/** Opens a store without threads: the start of a thread costs more than most tests. */
export const openLocalStorage = (options: StorageOptions): Promise<Storage> =>
  openStorage({ ...options, newWorker: newLocalWorker })
