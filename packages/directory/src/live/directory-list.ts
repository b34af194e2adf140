import type { Directory } from '../model/directory.ts'
import type { DirectoryObjects } from '../model/directory-change.ts'

export type ListedKind = 'application' | 'servicePrincipal' | 'appRoleAssignment'

/** A comparison that an index may serve. Texts are compared without case. */
export type IndexedComparison = {
  readonly index: ListIndex
  /** `contains` needs three characters. `startsWord` is for one or two, with which a word of a name begins. */
  readonly operator: 'eq' | 'startswith' | 'contains' | 'startsWord'
  readonly text: string
}

/** A comparison, or several comparisons of which one must hold. */
export type ListCondition = IndexedComparison | { readonly anyOf: readonly IndexedComparison[] }

/** The order of a list. Objects with equal values are in the order of their IDs. */
export type ListOrder = {
  /** Only lists of deleted objects are in the order of their deletion. */
  readonly by: 'displayName' | 'createdDateTime' | 'deletedDateTime'
  readonly isDescending: boolean
}

/**
 * The values that have an index. `name` is an application ID or an identifier URI. For `requestedApi`, the
 * store examines a column of every application, which takes less time than reading the objects.
 */
export type ListIndex =
  | 'id'
  | 'appId'
  | 'displayName'
  | 'identifierUri'
  | 'name'
  | 'principalId'
  | 'resourceId'
  | 'appRoleId'
  | 'requestedApi'

/** A query for one page of a tenant's objects. */
export type ListQuery<Kind extends ListedKind> = {
  readonly kind: Kind
  readonly tenantId: string
  /** Lists the objects that were soft-deleted since this time. Undefined: the other objects. */
  readonly deletedSince?: Date | undefined
  /** Hides objects that were created after this time. */
  readonly createdUntil?: Date | undefined
  /** Necessary conditions: `matches` alone decides. */
  readonly conditions: readonly ListCondition[]
  /** Whether `matches` contains no other comparison than these conditions. */
  readonly isIndexed: boolean
  /** Whether an object belongs to the list; undefined when all do. */
  readonly matches: ((object: DirectoryObjects[Kind], directory: Directory) => boolean) | undefined
  /** The order of applications and service principals; undefined for the order of the IDs. */
  readonly order?: ListOrder | undefined
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: string | undefined
  readonly limit: number
  /** Whether to count all objects of the list. */
  readonly isCounted: boolean
}

export type ListPage<Kind extends ListedKind> = {
  /** In the order of the list. */
  readonly objects: readonly DirectoryObjects[Kind][]
  /** These objects and the objects that they refer to, as of one commit. */
  readonly directory: Directory
  /** Where the next page begins; undefined for the last page. */
  readonly next: string | undefined
  /**
   * The number of all objects of the list; undefined when it was not requested, `too_many` when a filter
   * without an index would examine too many objects.
   */
  readonly count: number | 'too_many' | undefined
}

export type DeletedObject = {
  readonly kind: 'application' | 'servicePrincipal'
  readonly id: string
}
