import type { AuditRecord } from '../audit/audit-record.ts'
import type { Directory } from '../model/directory.ts'
import type { DirectoryChange } from '../model/directory-change.ts'
import type { DirectoryCache } from './directory-cache.ts'
import { lookupId, lookupsOf, NotLoaded } from './directory-lookup.ts'

/** The result of an update function: changes, audit records, and the result for the caller. */
export type DirectoryDecision<Result> = {
  readonly changes: readonly DirectoryChange[]
  readonly audit: readonly AuditRecord[]
  readonly result: Result
}

/** Decides changes on a directory. Their commit will have the mark. */
export type Decide<Result> = (directory: Directory, mark: string) => DirectoryDecision<Result>

/** A function that decides changes, and the functions that settle its promise. */
export type Update = {
  readonly decide: Decide<unknown>
  readonly tenantId: string
  readonly resolve: (result: unknown) => void
  readonly reject: (cause: unknown) => void
}

/** An update with its decision, or with the error that its function threw. */
export type DecidedUpdate = { readonly update: Update } & (
  | { readonly decision: DirectoryDecision<unknown> }
  | { readonly error: unknown }
)

/** A commit with more changes would stop the thread that compiles its statements for too long. */
const maxChangesPerCommit = 32

/**
 * Decides the first update, and all others that one commit can write with it. The result is the same as if
 * each had a separate commit, because an update that read what another one of the group changes is left out.
 *
 * @returns the decided updates, in their order
 * @throws {NotLoaded} when the first update needs an answer that is not in memory; others are left out
 */
export function decideGroup(
  directory: DirectoryCache,
  updates: readonly Update[],
  mark: string,
): readonly DecidedUpdate[] {
  const group: DecidedUpdate[] = []
  const written = new Set<string>()
  let changeCount = 0
  for (const update of updates) {
    const reads = new Set<string>()
    const decided = decideOne(directory, update, { reads, mark, isFirst: group.length === 0 })
    if (decided === undefined || !reads.isDisjointFrom(written)) continue
    const { changes } = 'decision' in decided ? decided.decision : { changes: [] }
    if (group.length > 0 && changeCount + changes.length > maxChangesPerCommit) continue
    group.push(decided)
    changeCount += changes.length
    for (const change of changes) for (const key of keysOf(change)) written.add(key)
  }
  return group
}

function decideOne(
  directory: DirectoryCache,
  update: Update,
  { isFirst, mark, reads }: { reads: Set<string>; mark: string; isFirst: boolean },
): DecidedUpdate | undefined {
  try {
    const decision = directory.recording(reads, (recording) => update.decide(recording, mark))
    return { update, decision }
  } catch (error) {
    if (!(error instanceof NotLoaded)) return { update, error }
    if (isFirst) throw error
    return undefined
  }
}

/** The lookups that find an object after its change. All that read it before have recorded its ID. */
const keysOf = (change: DirectoryChange): string[] => [
  lookupId({ name: change.kind, key: change.id }),
  ...lookupsOf({ ...change, mark: '' }).map(lookupId),
]
