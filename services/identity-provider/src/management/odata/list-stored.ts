import { complexTypeIn, type Directory, type DirectoryObjects } from '@greeting/directory'
import type {
  IndexedComparison,
  ListCondition,
  ListedKind,
  ListPage,
  ListQuery,
} from '@greeting/directory/live'
import type { Answer, ListCall } from '../operations/operation.ts'
import { refuse } from '../refusals/graph-error.ts'
import type { EntitySet, EntityView, Expansions } from './entity-set.ts'
import type { Comparison, Filter } from './filter.ts'
import { holds } from './holds.ts'
import { jsonOf, lastKeyBefore, listAnswer } from './list-answer.ts'
import { isCount, numberAnswer } from './list-entities.ts'
import { parseQuery, type QueryOptions, sorting, supportedOptions } from './query-options.ts'
import { entityJson, expanded } from './show-entity.ts'

/** A list of the store: its kind, and the objects that belong to it. */
type StoredList<Kind extends ListedKind> = {
  readonly kind: Kind
  /** Lists the objects that were soft-deleted since this time. Undefined: the other objects. */
  readonly deletedSince?: Date
  readonly conditions?: readonly ListCondition[]
  readonly expansions?: Expansions<DirectoryObjects[Kind]>
  /** Whether an object belongs to the list; default all of the kind. */
  readonly isListed?:
    | ((object: DirectoryObjects[Kind], directory: Directory) => boolean)
    | undefined
  /** Objects of each tenant that are not stored. A comparison for equality finds them. */
  readonly standing?: readonly DirectoryObjects[Kind][] | undefined
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
  list: StoredList<Kind>,
): Promise<Answer> {
  if (isCount(call)) return await countStored(call, set, list)
  const { expansions = {} } = list
  const options = parseQuery(call, supportedOptions.list, set, expansions)
  const top = options.expand.size === 0 ? options.top : Math.min(options.top, maxExpandedObjects)
  const parts: Buffer[] = []
  let shown = 0
  let next = lastKeyBefore(call, options)
  let count: number | undefined
  for (let isLast = false; !isLast; ) {
    const limit = Math.min(objectsPerRead, top - shown)
    const isCounted = options.count && shown === 0
    const page = await readPage(call, set, list, options, { after: next, limit, isCounted })
    const view = viewOf(call, page.directory, options)
    const related = await relatedOf(call, page, expansions, options)
    parts.push(...(await jsonOf(call, set, { entities: page.objects, view, related })))
    shown += page.objects.length
    next = page.next
    count ??= numberOf(page)
    const isEmpty = shown === 0 && next === undefined
    const entities = isEmpty ? await standingIn(call, set, list, options) : []
    parts.push(...entities.map((one) => Buffer.from(JSON.stringify(one))))
    if (count === 0) count = entities.length
    // With fewer objects, the store has ended the page: a filter without an index examines some only.
    isLast = next === undefined || page.objects.length < limit || shown === top
  }
  return listAnswer(call, set, { parts, next, count, selected: options.select })
}

/** The objects that are not stored, and that a filter for equality finds. */
const standingIn = <Kind extends ListedKind>(
  call: ListCall,
  set: EntitySet<DirectoryObjects[Kind]>,
  { standing = [] }: StoredList<Kind>,
  options: QueryOptions,
): object[] | Promise<object[]> => {
  const { filter } = options
  if (filter?.kind !== 'comparison' || filter.operator !== 'eq') return []
  return call.read((directory) => {
    const view = viewOf(call, directory, options)
    const found = standing.filter((one) => holds(filter, one, set, view))
    return found.map((one) => entityJson(one, set, view))
  })
}

/** Objects that are read and shown before the next ones, so that few are in memory. */
const objectsPerRead = 100

/** A page has fewer objects when each has others. */
const maxExpandedObjects = 100

/** Lookups at the same time share a snapshot of the store. */
const relatedOf = <Kind extends ListedKind>(
  call: ListCall,
  { objects }: ListPage<Kind>,
  expansions: Expansions<DirectoryObjects[Kind]>,
  options: QueryOptions,
) =>
  Promise.all(
    options.expand.size === 0
      ? []
      : objects.map((object) =>
          call.read((directory) =>
            expanded(object, expansions, options, viewOf(call, directory, options)),
          ),
        ),
  )

/**
 * The number of the objects of a list, as a text.
 *
 * @throws {GraphError} graph_refusal query_unsupported when a filter without an index examines too many objects.
 */
async function countStored<Kind extends ListedKind>(
  call: ListCall,
  set: EntitySet<DirectoryObjects[Kind]>,
  list: StoredList<Kind>,
): Promise<Answer> {
  const options = parseQuery(call, supportedOptions.count, set)
  const part = { after: lastKeyBefore(call, options), limit: 1, isCounted: true }
  const page = await readPage(call, set, list, options, part)
  return numberAnswer(numberOf(page) ?? 0)
}

export function numberOf({ count }: Pick<ListPage<ListedKind>, 'count'>): number | undefined {
  if (count !== 'too_many') return count
  throw refuse(
    'query_unsupported',
    'The tenant has too many objects to count them by this filter. Compare an indexed property, or omit $count.',
  )
}

function readPage<Kind extends ListedKind>(
  call: ListCall,
  set: EntitySet<DirectoryObjects[Kind]>,
  { kind, deletedSince, conditions = [], isListed, isVisible }: StoredList<Kind>,
  options: QueryOptions,
  part: Pick<ListQuery<Kind>, 'after' | 'limit' | 'isCounted'>,
): Promise<ListPage<Kind>> {
  const { createdUntil } = call
  const { filter, order } = options
  const other = deletedSince === undefined ? 'deletedDateTime' : 'createdDateTime'
  const needsAdvanced = order?.by === 'deletedDateTime' && !(call.isEventual && options.count)
  if (order?.by === other || needsAdvanced) throw refuse('query_unsupported', sorting)
  const isHidden = createdUntil === undefined ? undefined : isVisible
  const indexed = filter === undefined ? everything : filterConditions(filter, set)
  const query: ListQuery<Kind> = {
    kind,
    tenantId: call.caller.tenantId,
    deletedSince,
    createdUntil,
    conditions: [...conditions, ...indexed.conditions],
    isIndexed: isListed === undefined && isHidden === undefined && indexed.isComplete,
    matches:
      filter === undefined && isListed === undefined && isHidden === undefined
        ? undefined
        : (object, directory) => {
            const view = viewOf(call, directory, options)
            return (
              (isListed?.(object, view.directory) ?? true) &&
              (filter === undefined || holds(filter, object, set, view)) &&
              (isHidden?.(object, view.directory) ?? true)
            )
          },
    order,
    ...part,
  }
  return call.list(query)
}

const everything = { conditions: [], isComplete: true }

const viewOf = (call: ListCall, directory: Directory, { select }: QueryOptions): EntityView => ({
  ...call,
  directory: call.see(directory),
  selected: select,
  lastUses: new Map(),
})

/** What the indexes of the store know of a filter. */
type FilterConditions = {
  /** Every object that satisfies the filter satisfies all of these. */
  readonly conditions: readonly ListCondition[]
  /** Whether the conditions are the whole filter. */
  readonly isComplete: boolean
}

const unknown: FilterConditions = { conditions: [], isComplete: false }

/** The conditions of a filter that the indexes of the store serve. */
function filterConditions<Entity>(filter: Filter, set: EntitySet<Entity>): FilterConditions {
  if (filter.kind === 'not') return unknown
  if (filter.kind === 'comparison') {
    const condition = comparisonOf(filter, set)
    return condition === undefined ? unknown : { conditions: [condition], isComplete: true }
  }
  const parts = filter.parts.map((part) => filterConditions(part, set))
  if (filter.kind === 'and') {
    return {
      conditions: parts.flatMap(({ conditions }) => conditions),
      isComplete: parts.every(({ isComplete }) => isComplete),
    }
  }
  // One condition of each alternative is necessary, and enough when the alternative has no other.
  const alternatives = parts.map(({ conditions }) => conditions[0])
  if (alternatives.includes(undefined)) return unknown
  return {
    conditions: [{ anyOf: alternatives.flatMap((one) => comparisonsOf(one)) }],
    isComplete: parts.every(({ conditions, isComplete }) => isComplete && conditions.length === 1),
  }
}

const comparisonsOf = (condition: ListCondition | undefined): readonly IndexedComparison[] => {
  if (condition === undefined) return []
  return 'anyOf' in condition ? condition.anyOf : [condition]
}

const indexedOperators: Readonly<
  Partial<Record<Comparison['operator'], IndexedComparison['operator']>>
> = { eq: 'eq', startsWith: 'startswith', contains: 'contains', startsWord: 'startsWord' }

function comparisonOf<Entity>(
  { property, member, operator, literal }: Comparison,
  { properties }: EntitySet<Entity>,
): IndexedComparison | undefined {
  const row = properties[property]
  const index = member === undefined ? row?.index : complexTypeIn(row?.type)?.members[member]?.index
  const indexed = indexedOperators[operator]
  if (index === undefined || indexed === undefined || typeof literal !== 'string') return undefined
  return { index, operator: indexed, text: literal }
}
