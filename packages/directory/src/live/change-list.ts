import type { Directory } from '../model/directory.ts'
import type { DirectoryObjects } from '../model/directory-change.ts'
import type { Commit } from './commit.ts'

/** The kinds of objects whose changes a client may follow. */
export type FollowedKind = 'application' | 'servicePrincipal'

export type ChangePosition = { readonly revision: number; readonly id: string }

/** A query for one page of a tenant's objects that changed between two commits. */
export type ChangeQuery<Kind extends FollowedKind> = {
  readonly kind: Kind
  readonly tenantId: string
  /** The commit after which the changes begin. Undefined: lists the objects that are not deleted. */
  readonly since: Commit | undefined
  /** The commit with which the changes end; undefined for the latest. */
  readonly until: Commit | undefined
  /** Lists these objects only; undefined for all. */
  readonly ids: readonly string[] | undefined
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: ChangePosition | undefined
  readonly limit: number
}

export type ChangePage<Kind extends FollowedKind> = {
  /** The objects with their latest state; null for an object that was removed permanently. */
  readonly objects: readonly {
    readonly id: string
    readonly value: DirectoryObjects[Kind] | null
  }[]
  /** These objects and the objects that they refer to, as of one commit. */
  readonly directory: Directory
  /** The commit with which the changes end. The next question begins after it. */
  readonly until: Commit
  /** Where the next page begins; undefined for the last page. */
  readonly next: ChangePosition | undefined
}
