import { type AuditRecord, systemRecord } from '../audit/audit-record.ts'
import type { Commit, RevisionLog } from './commit.ts'
import type { DirectoryStore } from './directory-store.ts'

export type StoreReversalsOptions = {
  /** Logs a reversal for the operator. */
  readonly report: (fields: object, text: string) => void
  readonly now?: () => Date
}

/**
 * Counts and logs the reversals of the store, to a standby that lags or to a backup.
 *
 * The owner must call `writeTo` within a second while one waits, which writes them to the audit.
 */
export class StoreReversals {
  readonly #options: Required<StoreReversalsOptions>
  #unwritten: readonly AuditRecord[] = []
  #count = 0
  #latestAt: Date | undefined
  /** Called with each reversal that waits for `writeTo`. */
  onWaiting = (): void => {}

  constructor(options: StoreReversalsOptions) {
    this.#options = { now: () => new Date(), ...options }
  }

  /** The time of the latest reversal that this server noticed; undefined when there was none. */
  get latestAt(): Date | undefined {
    return this.#latestAt
  }

  /** Whether the audit lacks a reversal. */
  get isWaiting(): boolean {
    return this.#unwritten.length > 0
  }

  /** How many reversals this server has noticed. */
  get count(): number {
    return this.#count
  }

  /** Records that a log lacks the commit to which this server had followed it. */
  note(log: RevisionLog, followed: Commit, latest: Commit): void {
    const at = this.#options.now()
    this.#latestAt = at
    this.#count += 1
    const fields = { log, followed: followed.revision, latest: latest.revision, count: this.#count }
    this.#options.report(
      fields,
      'the store was rolled back: changes may be lost, and everything is read again',
    )
    const reason = `followed to commit ${followed.revision}, found commit ${latest.revision}, number ${this.#count} since the start`
    this.#unwritten = [...this.#unwritten, systemRecord(at, 'storage.goBack', log, { reason })]
    this.onWaiting()
  }

  /**
   * Writes the reversals that are not yet in the audit. The next call writes those that fail.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store accepts no changes
   */
  async writeTo(directory: DirectoryStore): Promise<void> {
    const records = this.#unwritten
    if (records.length === 0) return
    await directory.update(() => ({ changes: [], audit: records, result: undefined }))
    this.#unwritten = this.#unwritten.slice(records.length)
  }
}
