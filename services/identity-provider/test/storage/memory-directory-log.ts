import type { CommittedChange, DirectoryChange } from '../../src/directory/directory-change.ts'
import type { AuditRecord } from '../../src/storage/audit-record.ts'
import { beginning, type Commit } from '../../src/storage/commit.ts'
import type { DirectoryLog } from '../../src/storage/directory-log.ts'
import { hasCommit } from '../../src/storage/sql/revision-counter.ts'

/** A log that is forgotten with its process: for tests, and for a server that shall leave no trace. */
export class MemoryDirectoryLog implements DirectoryLog {
  readonly #latest = new Map<string, CommittedChange>()
  readonly audit: AuditRecord[] = []
  readonly #commits: Commit[] = [beginning]

  async changesAfter(known: Commit = beginning) {
    const latest = this.#commits.at(-1) ?? beginning
    const markThere = this.#commits[known.revision]?.mark ?? null
    const hasKnown = hasCommit(latest.revision, markThere, known)
    const changes = hasKnown
      ? [...this.#latest.values()].filter((change) => change.revision > known.revision)
      : []
    return { latest, hasKnown, changes }
  }

  async commit(
    base: Commit,
    mark: string,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ) {
    const latest = this.#commits.at(-1) ?? beginning
    if (base.revision !== latest.revision || base.mark !== latest.mark) return 'conflict'
    const revision = base.revision + 1
    this.#commits.push({ revision, mark })
    for (const change of changes) {
      this.#latest.set(`${change.kind} ${change.id}`, { ...change, revision })
    }
    this.audit.push(...audit)
    return 'committed'
  }
}
