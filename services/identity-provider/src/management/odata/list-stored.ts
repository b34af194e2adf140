import type { Directory } from '../../directory/directory.ts'
import type { DirectoryObjects } from '../../directory/directory-change.ts'
import type { ListCondition, ListedKind } from '../../storage/directory-list.ts'
import type { Answer, ListCall } from '../http/operation.ts'
import type { EntitySet, EntityView } from './entity-set.ts'
import type { Comparison } from './filter.ts'
import { holds } from './holds.ts'
import { lastKeyBefore, listAnswer } from './list-answer.ts'
import { parseQuery, supportedOptions } from './query-options.ts'

/** A list of the store: its kind, and the objects that belong to it. */
export type StoredList<Kind extends ListedKind> = {
  readonly kind: Kind
  /** Lists the objects that were soft-deleted since this time. Undefined: the other objects. */
  readonly deletedSince?: Date
  readonly conditions?: readonly ListCondition[]
  /** Whether an object is visible while new objects are hidden. */
  readonly isVisible?: (object: DirectoryObjects[Kind], directory: Directory) => boolean
}

/**
 * Lists objects of the store according to the query, page by page. An object that is created or deleted
 * between two pages does not repeat or hide any other. A page of a filter without an index may be empty
 * and have a next page.
 */
export async function listStored<Kind extends ListedKind>(
  call: ListCall,
  set: EntitySet<DirectoryObjects[Kind]>,
  { kind, deletedSince, conditions = [], isVisible }: StoredList<Kind>,
): Promise<Answer> {
  const options = parseQuery(call.query, supportedOptions.list, set)
  const { createdUntil } = call
  const viewOf = (directory: Directory): EntityView => ({
    directory: call.see(directory),
    rootUrl: call.rootUrl,
    selected: options.select,
    lastUses: new Map(),
  })
  const isHidden = createdUntil === undefined ? undefined : isVisible
  const indexed = options.filter.map((comparison) => conditionOf(comparison, set))
  const hasMatches = options.filter.length > 0 || isHidden !== undefined
  const page = await call.list<Kind>({
    kind,
    tenantId: call.caller.tenantId,
    deletedSince,
    createdUntil,
    conditions: [...conditions, ...indexed.filter((one) => one !== undefined)],
    isIndexed: isHidden === undefined && indexed.every((one) => one !== undefined),
    matches: hasMatches
      ? (object, directory) => {
          const view = viewOf(directory)
          return (
            options.filter.every((comparison) => holds(comparison, object, set, view)) &&
            (isHidden?.(object, view.directory) ?? true)
          )
        }
      : undefined,
    after: lastKeyBefore(call, options),
    limit: options.top,
    isCounted: options.count,
  })
  return listAnswer(call, set, {
    entities: page.objects,
    next: page.next,
    count: page.count,
    view: viewOf(page.directory),
  })
}

/** @returns undefined when no index serves the comparison */
function conditionOf<Entity>(
  { property, member, operator, literal }: Comparison,
  { indexes }: EntitySet<Entity>,
): ListCondition | undefined {
  const index = indexes?.[property]
  if (index === undefined || member !== undefined || typeof literal !== 'string') return undefined
  return { index, operator, text: literal }
}
