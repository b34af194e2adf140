import type { EntitySet, EntityView } from './entity-set.ts'
import { type Comparison, satisfies } from './filter.ts'

/** Whether an object satisfies a comparison. A collection needs one element that does. */
export function holds<Entity>(
  comparison: Comparison,
  entity: Entity,
  set: EntitySet<Entity>,
  view: EntityView,
): boolean {
  const { property, member } = comparison
  const value = set.properties[property]?.(entity, view)
  if (!Array.isArray(value)) return satisfies(value, comparison)
  return value.some((one) => satisfies(member === undefined ? one : one?.[member], comparison))
}
