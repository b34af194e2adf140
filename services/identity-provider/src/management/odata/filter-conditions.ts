import type { IndexedComparison, ListCondition } from '../../directory-store/directory-list.ts'
import type { EntitySet } from './entity-set.ts'
import type { Comparison, Filter } from './filter.ts'

/** What the indexes of the store know of a filter. */
export type FilterConditions = {
  /** Every object that satisfies the filter satisfies all of these. */
  readonly conditions: readonly ListCondition[]
  /** Whether the conditions are the whole filter. */
  readonly isComplete: boolean
}

const unknown: FilterConditions = { conditions: [], isComplete: false }

/** The conditions of a filter that the indexes of the store serve. */
export function filterConditions<Entity>(filter: Filter, set: EntitySet<Entity>): FilterConditions {
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
  const index = properties[property]?.index
  const indexed = indexedOperators[operator]
  const isServed = member === undefined && typeof literal === 'string'
  if (index === undefined || indexed === undefined || !isServed) return undefined
  return { index, operator: indexed, text: literal }
}
