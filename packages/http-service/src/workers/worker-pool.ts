// Folder: Several processes that share the ports and the metrics of one service.

import type { EventEmitter } from 'node:events'
import { Channel, type Peer } from './channel.ts'

/** A forked process: the part of `cluster.Worker` that the pool uses. */
export type WorkerProcess = Peer &
  Pick<EventEmitter, 'once'> & {
    readonly process: {
      readonly pid?: number | undefined
      readonly kill: (signal: NodeJS.Signals) => unknown
    }
  }

/** The report of a worker that accepts requests. */
export type WorkerAddress = {
  readonly url: string
  readonly httpsUrl?: string | undefined
  readonly metricsUrl?: string | undefined
}

export type WorkerPoolOptions = {
  readonly count: number
  readonly fork: () => WorkerProcess
  /** Prepares the channel of a new worker. */
  readonly connect: (channel: Channel) => void
  /** Called when a worker accepts requests. */
  readonly onReady: (pid: number | undefined) => void
  /** Called when a worker that was ready has ended, before its replacement starts. */
  readonly onEnd: (channel: Channel, end: WorkerEnd) => void
  /** Calls a function later, and returns a function that cancels the call. */
  readonly schedule?: (delayMs: number, callback: () => void) => () => void
  readonly monotonicNowMs?: () => number
}

/** How a worker ended. */
export type WorkerEnd = {
  readonly pid: number | undefined
  readonly code: number | null
  readonly signal: string | null
}

/** The first workers could not start. The worker itself has reported the reason on stderr. */
export class WorkerStartError extends Error {
  readonly code = 'worker_start_failed'
  override readonly name = 'WorkerStartError'
  /** The exit code of the worker; 1 when a signal ended it. */
  readonly exitCode: number

  constructor(exitCode: number) {
    super('a worker could not start')
    this.exitCode = exitCode
  }
}

const firstDelayMs = 100
const maxDelayMs = 10_000
/** A worker that lived this long did not fail because of its start. */
const healthyAfterMs = 10_000

/**
 * Keeps a number of worker processes running.
 *
 * A worker that ends is replaced, immediately if it ran for 10 s, else after 0.1 s, 0.2 s and so on up
 * to 10 s. The first worker starts alone, because it may create files and tables.
 */
export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>
  readonly #workers = new Map<WorkerProcess, Channel>()
  readonly #cancelStarts = new Set<() => void>()
  #failures = 0
  #isStopping = false
  #onEmpty = () => {}

  constructor(options: WorkerPoolOptions) {
    this.#options = { schedule: setTimer, monotonicNowMs: () => performance.now(), ...options }
  }

  /** The channels of the running workers. */
  get channels(): readonly Channel[] {
    return [...this.#workers.values()]
  }

  /**
   * Starts all workers. Resolves when all of them are ready.
   *
   * @throws {WorkerStartError} worker_start_failed when one of them ends before
   */
  async start(): Promise<WorkerAddress> {
    const address = await this.#startWorker()
    const others = Array.from({ length: this.#options.count - 1 }, () => this.#startWorker())
    await Promise.all(others)
    return address
  }

  /** Asks all workers to stop. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const cancel of this.#cancelStarts) cancel()
    if (this.#workers.size === 0) return
    const empty = Promise.withResolvers<void>()
    this.#onEmpty = empty.resolve
    for (const worker of this.#workers.keys()) worker.process.kill('SIGTERM')
    await empty.promise
  }

  #startWorker(): Promise<WorkerAddress> {
    const { fork, connect, monotonicNowMs } = this.#options
    const startedAtMs = monotonicNowMs()
    const ready = Promise.withResolvers<WorkerAddress>()
    const worker = fork()
    const channel = new Channel(worker)
    this.#workers.set(worker, channel)
    connect(channel)
    let isReady = false
    channel.handle('ready', (address) => {
      isReady = true
      this.#options.onReady(worker.process.pid)
      ready.resolve(address as WorkerAddress)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#workers.delete(worker)
      if (isReady) this.#replace(channel, { pid: worker.process.pid, code, signal }, startedAtMs)
      else ready.reject(new WorkerStartError(code || 1))
      if (this.#workers.size === 0) this.#onEmpty()
    })
    return ready.promise
  }

  #replace(channel: Channel, end: WorkerEnd, startedAtMs: number): void {
    if (this.#isStopping) return
    this.#options.onEnd(channel, end)
    const livedMs = this.#options.monotonicNowMs() - startedAtMs
    if (livedMs >= healthyAfterMs) this.#failures = 0
    this.#startLater()
  }

  #startLater(): void {
    const delayMs =
      this.#failures === 0 ? 0 : Math.min(firstDelayMs * 2 ** (this.#failures - 1), maxDelayMs)
    this.#failures += 1
    const cancel = this.#options.schedule(delayMs, () => {
      this.#cancelStarts.delete(cancel)
      if (!this.#isStopping) this.#startWorker().catch(() => this.#startLater())
    })
    this.#cancelStarts.add(cancel)
  }
}

function setTimer(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
