import { wordStarts } from '@greeting/directory'
import type { EntitySet, EntityView } from './entity-set.ts'
import type { Comparison, Filter } from './filter.ts'

/** True if an object satisfies a filter. A comparison on a collection needs one element that satisfies it. */
export function holds<Entity>(
  filter: Filter,
  entity: Entity,
  set: EntitySet<Entity>,
  view: EntityView,
): boolean {
  if (filter.kind !== 'comparison') {
    const holdsToo = (part: Filter) => holds(part, entity, set, view)
    if (filter.kind === 'not') return !holdsToo(filter.part)
    return filter.kind === 'and' ? filter.parts.every(holdsToo) : filter.parts.some(holdsToo)
  }
  const { property, member } = filter
  const value = set.properties[property]?.show(entity, view)
  if (!Array.isArray(value)) return satisfies(value, filter)
  return value.some((one) => satisfies(member === undefined ? one : one?.[member], filter))
}

const comparisons: {
  readonly [Operator in Comparison['operator']]: (text: string, literal: string) => boolean
} = {
  eq: (text, literal) => text === literal,
  ne: (text, literal) => text !== literal,
  ge: (text, literal) => text >= literal,
  le: (text, literal) => text <= literal,
  startsWith: (text, literal) => text.startsWith(literal),
  endsWith: (text, literal) => text.endsWith(literal),
  contains: (text, literal) => text.includes(literal),
  startsWord: (text, literal) => wordStarts(text).includes(literal),
}

/** Texts are compared without case, as in Graph. */
function satisfies(value: unknown, { isTime, literal, operator }: Comparison): boolean {
  if (typeof value === 'string' && typeof literal === 'string') {
    // Without the zone, a second comes before its fractions.
    const textOf = (text: string) => (isTime ? text.slice(0, -1) : text.toLowerCase())
    return comparisons[operator](textOf(value), textOf(literal))
  }
  if (operator === 'ne') return (value ?? null) !== literal
  return operator === 'eq' && (value ?? null) === literal
}
