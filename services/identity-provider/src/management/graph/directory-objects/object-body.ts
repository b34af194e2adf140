/**
 * Whether a value equals the fixed value of a property, or a part of it. Clients send such values
 * back after they have read the object. A null stands for the fixed value.
 */
export function isFixedValue(value: unknown, fixed: unknown): boolean {
  if (value === null || value === undefined || value === fixed) return true
  if (Array.isArray(value)) {
    return (
      Array.isArray(fixed) &&
      value.length === fixed.length &&
      value.every((one, index) => isFixedValue(one, fixed[index]))
    )
  }
  if (typeof value !== 'object' || typeof fixed !== 'object' || fixed === null) return false
  const members: Record<string, unknown> = { ...fixed }
  return Object.entries(value).every(
    ([name, member]) => Object.hasOwn(members, name) && isFixedValue(member, members[name]),
  )
}
