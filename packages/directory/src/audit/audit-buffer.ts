import { type AuditRecord, systemRecord } from './audit-record.ts'
import type { AuditLane, AuditTrail } from './audit-trail.ts'
import type { CredentialUses } from './credential-uses.ts'

export type AuditBufferOptions = {
  readonly audit: AuditTrail
  readonly uses: CredentialUses
  /** The maximum number of waiting records of a lane. Further records are only counted. Default 50,000. */
  readonly capacity?: number
  /** Gets each record at once, also one that is dropped or not stored. It must not throw. */
  readonly onRecord?: ((record: AuditRecord, lane: AuditLane) => void) | undefined
  /** The lanes whose records are not stored; default none. */
  readonly unstored?: ReadonlySet<AuditLane>
  readonly now?: () => Date
}

/** With more, one write would stop the thread that issues tokens for over 10 ms. */
const recordsPerWrite = 1000

/** The records that the store has not received yet. */
export type AuditBacklog = {
  readonly waiting: number
  /** The records that were dropped since the start, because too many waited. */
  readonly dropped: number
}

/**
 * Buffers the records of token requests and writes them in batches, so that no token waits for the
 * store. While the store is unavailable, the buffer grows up to its capacity.
 *
 * The owner must call `flush` within a second while something waits, and once at the end.
 */
export class AuditBuffer {
  readonly #options: AuditBufferOptions &
    Required<Pick<AuditBufferOptions, 'capacity' | 'unstored' | 'now'>>
  // One queue for each lane, so that a flood in one takes no space from the others.
  readonly #waiting = new Map<AuditLane, { readonly records: AuditRecord[]; lost: number }>()
  readonly #latestUses = new Map<string, Date>()
  #flushing: Promise<void> | undefined
  #dropped = 0
  /** Called with each record and each use that waits for a flush. */
  onWaiting = (): void => {}

  constructor(options: AuditBufferOptions) {
    this.#options = {
      capacity: 50_000,
      unstored: new Set(),
      now: () => new Date(),
      ...options,
    }
  }

  record = (record: AuditRecord, lane: AuditLane): void => {
    this.#options.onRecord?.(record, lane)
    if (this.#options.unstored.has(lane)) return
    this.onWaiting()
    const waiting = this.#waiting.get(lane) ?? { records: [], lost: 0 }
    this.#waiting.set(lane, waiting)
    if (waiting.records.length < this.#options.capacity) waiting.records.push(record)
    else {
      waiting.lost += 1
      this.#dropped += 1
    }
  }

  /** The records that the store does not have. */
  get backlog(): AuditBacklog {
    let waiting = 0
    for (const { records } of this.#waiting.values()) waiting += records.length
    return { waiting, dropped: this.#dropped }
  }

  /** Whether the store lacks a record, a loss or a use. */
  get isWaiting(): boolean {
    const lanes = [...this.#waiting.values()]
    return this.#latestUses.size > 0 || lanes.some((one) => one.records.length + one.lost > 0)
  }

  noteUse = (credentialName: string, at: Date): void => {
    this.onWaiting()
    const known = this.#latestUses.get(credentialName)
    if (known === undefined || known < at) this.#latestUses.set(credentialName, at)
  }

  /**
   * Writes the buffer. Records that cannot be written stay in it. Concurrent calls share one write.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store cannot be written to
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #write(): Promise<void> {
    await this.#writeRecords()
    await this.#writeUses()
  }

  async #writeRecords(): Promise<void> {
    for (const [lane, waiting] of this.#waiting) {
      // Records that come meanwhile wait for the next flush.
      for (let left = waiting.records.length; left > 0; left -= recordsPerWrite) {
        const records = waiting.records.slice(0, Math.min(left, recordsPerWrite))
        await this.#options.audit.append(lane, records)
        waiting.records.splice(0, records.length)
      }
      const { lost } = waiting
      if (lost === 0) continue
      await this.#options.audit.append(lane, [this.#loss(lost)])
      waiting.lost -= lost
    }
  }

  async #writeUses(): Promise<void> {
    const uses = new Map(this.#latestUses)
    if (uses.size === 0) return
    await this.#options.uses.record(uses)
    for (const [name, at] of uses) {
      if (this.#latestUses.get(name) === at) this.#latestUses.delete(name)
    }
  }

  #loss(count: number): AuditRecord {
    const reason = `${count} records, while the store was unavailable`
    return systemRecord(this.#options.now(), 'audit.lose', null, { reason })
  }
}
