import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type {
  CommittedChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../src/directory/directory-change.ts'
import type {
  ChangePage,
  ChangeQuery,
  FollowedKind,
} from '../../src/directory-store/change-list.ts'
import { beginning, type Commit } from '../../src/directory-store/commit.ts'
import type {
  DeletedObject,
  ListedKind,
  ListPage,
  ListQuery,
} from '../../src/directory-store/directory-list.ts'
import type {
  DirectoryLog,
  ExclusiveLog,
  Followed,
} from '../../src/directory-store/directory-log.ts'
import {
  type DirectoryLookup,
  directoryLookups,
  type LoadedLookup,
} from '../../src/directory-store/directory-lookup.ts'
import { hasCommit } from '../../src/storage/sql/directory/revision-counter.ts'
import { DirectoryIndex } from './directory-index.ts'

/** A log in memory, for tests. It answers each lookup alone, without related objects. */
export class MemoryDirectoryLog implements DirectoryLog {
  readonly #latest = new Map<string, CommittedChange>()
  readonly #index = new DirectoryIndex()
  readonly audit: AuditRecord[] = []
  readonly #commits: Commit[] = [beginning]
  /** The tenants of all objects that ever were. */
  readonly #tenantIds = new Map<string, string>()
  /** Ends with the last exclusive writer. */
  #exclusive: Promise<unknown> = Promise.resolve()

  /** The complete directory as of the latest commit. */
  get directory(): DirectoryIndex {
    return this.#index
  }

  async latest() {
    return this.#commits.at(-1) ?? beginning
  }

  async surveyTenants(...limits: Parameters<DirectoryLog['surveyTenants']>) {
    return this.#index.surveyTenants(...limits)
  }

  async changesAfter(
    known: Commit = beginning,
    lookups: readonly DirectoryLookup[] = [],
  ): Promise<Followed> {
    const latest = this.#commits.at(-1) ?? beginning
    const hasKnown = this.#has(known)
    if (!hasKnown) return { latest, hasKnown, changes: undefined, loaded: [] }
    const changes = [...this.#latest.values()].filter(({ revision }) => revision > known.revision)
    return { latest, hasKnown, changes, loaded: lookups.map((lookup) => this.#answer(lookup)) }
  }

  async commit(...commit: Parameters<DirectoryLog['commit']>) {
    await this.#exclusive
    return this.#commit(...commit)
  }

  #commit(
    ...[base, mark, changes, audit]: Parameters<DirectoryLog['commit']>
  ): 'committed' | 'conflict' {
    const latest = this.#commits.at(-1) ?? beginning
    if (base.revision !== latest.revision || base.mark !== latest.mark) return 'conflict'
    const revision = base.revision + 1
    this.#commits.push({ revision, mark })
    for (const change of changes) {
      this.#latest.set(`${change.kind} ${change.id}`, { ...change, revision })
      if (change.value !== null && 'tenantId' in change.value) {
        this.#tenantIds.set(change.id, change.value.tenantId)
      }
    }
    this.#index.apply(
      revision,
      changes.map((change) => ({ ...change, revision })),
    )
    this.audit.push(...audit)
    return 'committed'
  }

  exclusively<Result>(write: (log: ExclusiveLog) => Promise<Result>): Promise<Result> {
    const written = this.#exclusive.then(() =>
      write({
        latest: () => this.latest(),
        changesAfter: (...question) => this.changesAfter(...question),
        commit: async (...commit) => this.#commit(...commit),
      }),
    )
    this.#exclusive = written.catch(() => undefined)
    return written
  }

  async list<Kind extends ListedKind>(query: ListQuery<Kind>): Promise<ListPage<Kind>> {
    const all = [...this.#objects(query.kind)]
      .map(({ value }) => value as DirectoryObjects[Kind])
      .filter((one) => this.#belongs(query, one))
      .filter((one) => query.matches?.(one, this.#index) ?? true)
      .sort((a, b) => inOrder(query, positionOf(query, a), positionOf(query, b)))
    const { after, limit } = query
    const rest =
      after === undefined
        ? all
        : all.filter((one) => inOrder(query, JSON.parse(after), positionOf(query, one)) < 0)
    const last = rest[limit - 1]
    const objects = rest.slice(0, limit)
    return {
      objects,
      directory: this.#index,
      next: rest.length > limit && last ? JSON.stringify(positionOf(query, last)) : undefined,
      count: query.isCounted ? all.length : undefined,
    }
  }

  async listChanges<Kind extends FollowedKind>({
    after,
    ids,
    kind,
    limit,
    since,
    tenantId,
    until = this.#commits.at(-1) ?? beginning,
  }: ChangeQuery<Kind>): Promise<ChangePage<Kind> | undefined> {
    if (!this.#has(since ?? beginning) || !this.#has(until)) return undefined
    const from = after ?? { revision: since?.revision ?? 0, id: '\u{ffff}' }
    const found = [...this.#latest.values()]
      .filter((one) => one.kind === kind && this.#tenantIds.get(one.id) === tenantId)
      .map((one) => ({ ...one, revision: this.#shownRevisionOf(one, until) }))
      .filter(({ revision }) => revision <= until.revision)
      .filter(({ id, revision }) =>
        revision === from.revision ? id > from.id : revision > from.revision,
      )
      .filter(({ id, value }) => (ids?.includes(id) ?? true) && (since || isActive(value)))
      .sort((a, b) => a.revision - b.revision || (a.id < b.id ? -1 : 1))
    const page = found.slice(0, limit)
    return {
      objects: page.map(({ id, value }) => ({ id, value: value as DirectoryObjects[Kind] | null })),
      directory: this.#index,
      until,
      next: found.length > limit ? page.at(-1) : undefined,
    }
  }

  async deletedBefore(time: Date, limit: number): Promise<readonly DeletedObject[]> {
    return (['application', 'servicePrincipal'] as const)
      .flatMap((kind) =>
        [...this.#objects(kind)].flatMap(({ id, value }) => {
          const { deletedDateTime } = value as DirectoryObjects['application']
          return deletedDateTime !== null && deletedDateTime < time ? [{ kind, id }] : []
        }),
      )
      .slice(0, limit)
  }

  async prune() {}

  #has(commit: Commit): boolean {
    const latest = this.#commits.at(-1) ?? beginning
    return hasCommit(latest.revision, this.#commits[commit.revision]?.mark ?? null, commit)
  }

  /** An application changes its service principals too. */
  #shownRevisionOf({ kind, revision, value }: CommittedChange, until: Commit): number {
    if (kind !== 'servicePrincipal' || value === null) return revision
    const application = this.#index.applicationByAppId(value.appId)
    const ofApplication = this.#index.revisionOf('application', application?.id ?? '') ?? 0
    return ofApplication > until.revision ? revision : Math.max(revision, ofApplication)
  }

  #belongs<Kind extends ListedKind>(query: ListQuery<Kind>, one: DirectoryObjects[Kind]): boolean {
    if (one.tenantId !== query.tenantId) return false
    if (query.createdUntil !== undefined && one.createdDateTime > query.createdUntil) return false
    if ('principalId' in one) {
      const sides = [one.principalId, one.resourceId]
      return (
        query.conditions.every((condition) =>
          ('anyOf' in condition ? condition.anyOf : [condition]).some(
            ({ index, text }) => one[index as 'appRoleId'] === text,
          ),
        ) && sides.every((id) => this.#index.servicePrincipal(id)?.deletedDateTime === null)
      )
    }
    return query.deletedSince === undefined
      ? one.deletedDateTime === null
      : one.deletedDateTime !== null && one.deletedDateTime >= query.deletedSince
  }

  #answer({ name, key }: DirectoryLookup): LoadedLookup {
    const { kind, keysOf } = directoryLookups[name]
    const objects = [...this.#objects(kind)].filter(({ value }) =>
      (keysOf as (value: unknown) => readonly string[])(value).includes(key),
    )
    return { name, key, objects }
  }

  #objects(kind: DirectoryKind): Iterable<CommittedChange> {
    return this.#index.objects(kind)
  }
}

const isActive = (value: CommittedChange['value']): boolean =>
  value !== null && 'deletedDateTime' in value && value.deletedDateTime === null

type Ordered = { readonly id: string; readonly createdDateTime: Date }
type Position = readonly [string, string]

function positionOf({ order }: Pick<ListQuery<ListedKind>, 'order'>, one: Ordered): Position {
  if (order === undefined) return ['', one.id]
  const name = 'displayName' in one ? String(one.displayName).toLowerCase() : ''
  return [order.by === 'displayName' ? name : one.createdDateTime.toISOString(), one.id]
}

function inOrder(
  { order }: Pick<ListQuery<ListedKind>, 'order'>,
  one: Position,
  other: Position,
): number {
  const [a, b] = one[0] === other[0] ? [one[1], other[1]] : [one[0], other[0]]
  if (a === b) return 0
  return a < b === (order?.isDescending ?? false) ? 1 : -1
}
