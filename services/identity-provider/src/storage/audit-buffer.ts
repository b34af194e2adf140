import type { AuditRecord } from './audit-record.ts'
import type { AuditLane, AuditTrail } from './audit-trail.ts'
import type { CredentialUses } from './credential-uses.ts'

export type AuditBufferOptions = {
  readonly audit: AuditTrail
  readonly uses: CredentialUses
  /**
   * Records of a lane that wait at most; what comes while so many wait is only counted.
   * Default 50,000.
   */
  readonly capacity?: number
  readonly now?: () => Date
}

/**
 * What issuing leaves behind, noted at once and written in batches: no token waits for it, and
 * while the store is away it waits within bounds.
 *
 * Writing it is who composes the service's duty: call `flush` several times a second, and once at
 * the end.
 */
export class AuditBuffer {
  readonly #audit: AuditTrail
  readonly #uses: CredentialUses
  readonly #capacity: number
  readonly #now: () => Date
  // One queue for each lane: a flood in one takes no room from the others.
  readonly #waiting = new Map<AuditLane, { readonly records: AuditRecord[]; lost: number }>()
  readonly #latestUses = new Map<string, Date>()
  #flushing: Promise<void> | undefined

  constructor({ audit, uses, capacity = 50_000, now = () => new Date() }: AuditBufferOptions) {
    this.#audit = audit
    this.#uses = uses
    this.#capacity = capacity
    this.#now = now
  }

  /** Takes a record, to be written soon. */
  record = (record: AuditRecord, lane: AuditLane): void => {
    const waiting = this.#waiting.get(lane) ?? { records: [], lost: 0 }
    this.#waiting.set(lane, waiting)
    if (waiting.records.length < this.#capacity) waiting.records.push(record)
    else waiting.lost += 1
  }

  /** Takes the use of a credential, to be written soon. */
  noteUse = (credentialName: string, at: Date): void => {
    const known = this.#latestUses.get(credentialName)
    if (known === undefined || known < at) this.#latestUses.set(credentialName, at)
  }

  /**
   * Writes what was noted; what cannot be written is kept for the next time. Callers at the same
   * time share one writing.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store cannot take it now.
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
      const [records, lost] = [[...waiting.records], waiting.lost]
      if (records.length === 0 && lost === 0) continue
      await this.#audit.append(lane, lost === 0 ? records : [...records, this.#loss(lost)])
      waiting.records.splice(0, records.length)
      waiting.lost -= lost
    }
  }

  async #writeUses(): Promise<void> {
    const uses = new Map(this.#latestUses)
    if (uses.size === 0) return
    await this.#uses.record(uses)
    for (const [name, at] of uses) {
      if (this.#latestUses.get(name) === at) this.#latestUses.delete(name)
    }
  }

  #loss = (count: number): AuditRecord => ({
    at: this.#now(),
    tenantId: null,
    actor: 'system',
    action: 'audit.lose',
    target: null,
    outcome: 'done',
    reason: `${count} records, while the store was away`,
    correlationId: null,
  })
}
