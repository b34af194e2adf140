import type { AuditRecord } from './audit-record.ts'
import type { Commit } from './commit.ts'
import type { DirectoryStore } from './directory-store.ts'
import type { RevisionLog } from './sql/tables.ts'

export type StoreReversalsOptions = {
  /** Tells the operator, once for each reversal. */
  readonly report: (fields: object, text: string) => void
  readonly now?: () => Date
}

/**
 * The times that the store went back: to a standby that lags, or to a backup.
 *
 * Each is logged at once and counted. Writing it to the audit is the duty of who composes the
 * service: call `writeTo` several times a second.
 */
export class StoreReversals {
  readonly #report: (fields: object, text: string) => void
  readonly #now: () => Date
  #unwritten: readonly AuditRecord[] = []
  #count = 0
  #latestAt: Date | undefined

  constructor({ report, now = () => new Date() }: StoreReversalsOptions) {
    this.#report = report
    this.#now = now
  }

  /** When this server last noticed one; undefined when it never did. */
  get latestAt(): Date | undefined {
    return this.#latestAt
  }

  /** Takes note that a log lacks the commit that this server had followed it to. */
  note(log: RevisionLog, followed: Commit, latest: Commit): void {
    const at = this.#now()
    this.#latestAt = at
    this.#count += 1
    const fields = { log, followed: followed.revision, latest: latest.revision, count: this.#count }
    this.#report(fields, 'the store went back: changes may be lost, everything is read anew')
    const record: AuditRecord = {
      at,
      tenantId: null,
      actor: 'system',
      action: 'storage.goBack',
      target: log,
      outcome: 'done',
      reason: `followed to commit ${followed.revision}, found commit ${latest.revision}, number ${this.#count} since the start`,
      correlationId: null,
    }
    this.#unwritten = [...this.#unwritten, record]
  }

  /**
   * Writes to the audit what is not there yet; what cannot be written is kept for the next time.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store takes no changes now.
   */
  async writeTo(directory: DirectoryStore): Promise<void> {
    const records = this.#unwritten
    if (records.length === 0) return
    await directory.update(() => ({ changes: [], audit: records, result: undefined }))
    this.#unwritten = this.#unwritten.slice(records.length)
  }
}
