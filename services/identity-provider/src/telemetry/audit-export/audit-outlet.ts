import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../endpoints/service-options.ts'
import type { ExportedRecord, ExportLane } from './exported-record.ts'

/** A log store, or the connection to one. */
export type AuditSink = {
  /**
   * Sends records, in one call at a time. A call that fails is repeated, so a record may arrive twice.
   *
   * @returns how many of them the store rejected for good
   * @throws {Error} when it may take them later; `retryAfterMs` is the delay that it demands
   */
  readonly send: (records: readonly ExportedRecord[]) => Promise<number>
  /** Ends a call that is running, and releases everything. */
  readonly close: () => Promise<void>
}

/** @param ref whether the wait keeps the process alive; default not */
type Wait = (ms: number, signal: AbortSignal, ref?: boolean) => Promise<unknown>

export type AuditOutletOptions = {
  /** The name of the sink in the log and in the metrics. */
  readonly name: string
  readonly sink: AuditSink
  readonly log: Log
  /** The maximum number of waiting records of each lane. Default 50,000. */
  readonly maxRecords?: number
  /** The maximum size of the waiting records of each lane. Default 32 MiB. */
  readonly maxBytes?: number
  /** Waits, until the signal at the latest. */
  readonly wait?: Wait
}

/** The numbers of records that a sink has sent, lost or kept since the start. */
export type OutletFigures = {
  readonly queued: number
  readonly dropped: number
  readonly failures: number
}

/** With more, one batch would stop the thread that issues tokens for over 5 ms. */
const recordsPerBatch = 500
/** Records that come within this time share a batch. */
const collectMs = 200
const firstRetryMs = 250
const lastRetryMs = 30_000
const longestDemandMs = 300_000
const reportMs = 60_000
const stopMs = 2000
/** What a record takes besides its texts, about. */
const bytesPerRecord = 256

const waitUnlessAborted: Wait = (ms, signal, ref = false) =>
  delay(ms, undefined, { signal, ref }).catch(() => undefined)

/**
 * The bounded queue before a sink. It sends batches in order, and repeats those that fail. When a lane has no
 * room, its new records are dropped and counted, so that a flood in one lane takes no room from other lanes.
 */
export class AuditOutlet {
  readonly name: string
  readonly #options: Required<AuditOutletOptions>
  readonly #queue: { readonly record: ExportedRecord; readonly bytes: number }[] = []
  readonly #lanes = new Map<ExportLane, { records: number; bytes: number }>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #dropped = 0
  #unreported = 0
  #failures = 0

  constructor(options: AuditOutletOptions) {
    this.name = options.name
    this.#options = {
      maxRecords: 50_000,
      maxBytes: 32 * 2 ** 20,
      wait: waitUnlessAborted,
      ...options,
    }
  }

  get figures(): OutletFigures {
    return { queued: this.#queue.length, dropped: this.#dropped, failures: this.#failures }
  }

  /** Adds a record, without delay for the caller. */
  offer(record: ExportedRecord): void {
    const lane = this.#laneOf(record)
    const bytes = sizeOf(record)
    if (lane.records >= this.#options.maxRecords || lane.bytes + bytes > this.#options.maxBytes) {
      this.#drop(1)
      return
    }
    lane.records += 1
    lane.bytes += bytes
    this.#queue.push({ record, bytes })
    this.#running ??= this.#sendAll()
  }

  /** Sends what waits, for at most 2 s. What remains is dropped and counted. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const timeout = new AbortController()
    // Nothing else may keep the process alive until the last batch is sent.
    await Promise.race([this.#running, this.#options.wait(stopMs, timeout.signal, true)])
    timeout.abort()
    await this.#options.sink.close()
    this.#drop(this.#remove(this.#queue.length))
    this.#report()
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = firstRetryMs
    let isFailing = false
    while (this.#queue.length > 0) {
      if (this.#queue.length < recordsPerBatch) await this.#options.wait(collectMs, signal)
      const batch = this.#queue.slice(0, recordsPerBatch).map(({ record }) => record)
      try {
        const rejected = await this.#options.sink.send(batch)
        this.#remove(batch.length)
        if (rejected > 0) this.#failures += 1
        this.#drop(rejected)
        if (isFailing)
          this.#options.log.info({ sink: this.name }, 'export of the audit log succeeds again')
        isFailing = false
        retryMs = firstRetryMs
      } catch (err) {
        this.#failures += 1
        if (!isFailing)
          this.#options.log.error({ err, sink: this.name }, 'export of the audit log failed')
        isFailing = true
        if (signal.aborted) break
        const { retryAfterMs = retryMs } = err as { readonly retryAfterMs?: number }
        await this.#options.wait(Math.min(retryAfterMs, longestDemandMs), signal)
        retryMs = Math.min(retryMs * 2, lastRetryMs)
      }
    }
    // Without a turn of the event loop between, in which a record could come.
    this.#running = undefined
  }

  #remove(count: number): number {
    for (const { record, bytes } of this.#queue.splice(0, count)) {
      const lane = this.#laneOf(record)
      lane.records -= 1
      lane.bytes -= bytes
    }
    return count
  }

  #laneOf({ lane }: ExportedRecord) {
    const known = this.#lanes.get(lane) ?? { records: 0, bytes: 0 }
    this.#lanes.set(lane, known)
    return known
  }

  #drop(count: number): void {
    if (count === 0) return
    this.#dropped += count
    if (this.#unreported === 0)
      void this.#options.wait(reportMs, this.#stopping.signal).then(() => this.#report())
    this.#unreported += count
  }

  #report(): void {
    const lost = this.#unreported
    this.#unreported = 0
    if (lost === 0) return
    this.#options.log.error(
      { sink: this.name, lost, ...this.figures },
      'audit records were not exported',
    )
  }
}

const sizeOf = ({ record }: ExportedRecord): number =>
  bytesPerRecord +
  record.actor.length +
  (record.target?.length ?? 0) +
  (record.reason?.length ?? 0) +
  (record.correlationId?.length ?? 0)
