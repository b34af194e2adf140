import type { CommittedChange, DirectoryChange } from '../directory/directory-change.ts'
import type { AuditRecord } from './audit-record.ts'
import type { DirectoryLog } from './directory-log.ts'

/** A log that is forgotten with its process: for tests, and for a server that shall leave no trace. */
export class MemoryDirectoryLog implements DirectoryLog {
  readonly #latest = new Map<string, CommittedChange>()
  readonly audit: AuditRecord[] = []
  #revision = 0

  async changesAfter(revision: number) {
    return {
      revision: this.#revision,
      changes: [...this.#latest.values()].filter((change) => change.revision > revision),
    }
  }

  async commit(
    baseRevision: number,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ) {
    if (baseRevision !== this.#revision) return 'conflict'
    this.#revision += 1
    for (const change of changes) {
      this.#latest.set(`${change.kind} ${change.id}`, { ...change, revision: this.#revision })
    }
    this.audit.push(...audit)
    return 'committed'
  }
}
