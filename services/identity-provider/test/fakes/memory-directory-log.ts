import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type { ChangeQuery, FollowedKind } from '../../src/directory-store/change-list.ts'
import type { ListedKind, ListQuery } from '../../src/directory-store/directory-list.ts'
import type { DirectoryLog, ExclusiveLog } from '../../src/directory-store/directory-log.ts'
import { SqlDirectoryLog } from '../../src/storage/sql/logs/sql-directory-log.ts'
import { DirectoryIndex } from './directory-index.ts'
import { memoryDatabase } from './memory-database.ts'

type Commit = Parameters<DirectoryLog['commit']>

/** The log of the real tables in memory, with all that was committed to it. */
export class MemoryDirectoryLog implements DirectoryLog {
  /** The complete directory as of the latest commit. */
  readonly directory = new DirectoryIndex()
  readonly audit: AuditRecord[] = []
  readonly #log = memoryDatabase().then(({ database }) => new SqlDirectoryLog(database))

  latest = async () => (await this.#log).latest()

  surveyTenants = async (...limits: Parameters<DirectoryLog['surveyTenants']>) =>
    (await this.#log).surveyTenants(...limits)

  changesAfter = async (...question: Parameters<DirectoryLog['changesAfter']>) =>
    (await this.#log).changesAfter(...question)

  async commit(...commit: Commit) {
    return this.#note(commit, await (await this.#log).commit(...commit))
  }

  exclusively = async <Result>(write: (log: ExclusiveLog) => Promise<Result>) =>
    (await this.#log).exclusively((log) =>
      write({
        ...log,
        commit: async (...commit) => this.#note(commit, await log.commit(...commit)),
      }),
    )

  list = async <Kind extends ListedKind>(query: ListQuery<Kind>) => (await this.#log).list(query)

  listChanges = async <Kind extends FollowedKind>(query: ChangeQuery<Kind>) =>
    (await this.#log).listChanges(query)

  deletedBefore = async (...limits: Parameters<DirectoryLog['deletedBefore']>) =>
    (await this.#log).deletedBefore(...limits)

  prune = async () => (await this.#log).prune()

  #note([{ revision }, , changes, audit]: Commit, outcome: 'committed' | 'conflict') {
    if (outcome === 'conflict') return outcome
    const committed = changes.map((change) => ({ ...change, revision: revision + 1 }))
    this.directory.apply(revision + 1, committed)
    this.audit.push(...audit)
    return outcome
  }
}
