import { guid, text } from '@greeting/directory/forms'

const referenceSets = new Set(['directoryobjects', 'serviceprincipals', 'users', 'groups'])

/**
 * The address of an object of the directory. Only its last two segments count: a client may reach this
 * server by another host than the one in its references.
 *
 * @see OData JSON Format 4.01 section 8.5
 */
export const objectReference = text(2048)
  .transform((reference) => {
    const [set = '', id = ''] = reference.split('/').slice(-2)
    return referenceSets.has(set.toLowerCase()) ? id : ''
  })
  .pipe(guid)

/** As in Microsoft Graph. */
export const maxOwners = 100

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
