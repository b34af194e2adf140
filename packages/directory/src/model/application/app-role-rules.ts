import { isGuid } from '../guid.ts'
import type { ValidationIssue } from '../validation-issue.ts'
import type { AppRole } from './app-role.ts'

const valuePattern = /^[0-9A-Za-z:!#$%&'()*+,\-./;<=>?@[\]^_`{|}~]+$/
/** The maximum length of a role value, which is more than the documented 120 (entra E145). */
export const maxValueLength = 249
const maxDisplayNameLength = 100

type Rule = {
  readonly property: keyof AppRole
  readonly isValid: (role: AppRole) => boolean
  readonly message: string
}

const rules: readonly Rule[] = [
  { property: 'id', isValid: ({ id }) => isGuid(id), message: 'must be a GUID' },
  {
    property: 'allowedMemberTypes',
    isValid: ({ allowedMemberTypes: types }) =>
      types.length > 0 && new Set(types).size === types.length,
    message: 'must name "Application", "User" or both, each once',
  },
  {
    property: 'displayName',
    isValid: ({ displayName }) =>
      displayName.trim() !== '' && displayName.length <= maxDisplayNameLength,
    message: `must not be empty, nor longer than ${maxDisplayNameLength} characters`,
  },
  {
    property: 'description',
    isValid: ({ description }) => description.trim() !== '',
    message: 'must not be empty: an administrator reads it before admin consent',
  },
  {
    property: 'value',
    isValid: ({ value }) => value === null || !/\s/.test(value),
    message: 'must not contain spaces',
  },
  {
    property: 'value',
    isValid: ({ value }) => value === null || /\s/.test(value) || valuePattern.test(value),
    message: "must be made of letters, digits and :!#$%&'()*+,-./;<=>?@[]^_`{|}~",
  },
  {
    property: 'value',
    isValid: ({ value }) => value === null || !value.startsWith('.'),
    message: 'must not start with a dot',
  },
  {
    property: 'value',
    isValid: ({ value }) => value === null || value.length <= maxValueLength,
    message: `must not be longer than ${maxValueLength} characters`,
  },
]

/**
 * Validates all roles of an API.
 *
 * @see https://learn.microsoft.com/graph/api/resources/approle
 */
export function judgeAppRoles(roles: readonly AppRole[]): ValidationIssue[] {
  const faults: ValidationIssue[] = []
  for (const [index, role] of roles.entries()) {
    for (const { property, isValid, message } of rules)
      if (!isValid(role)) faults.push({ code: 'invalid_value', path: [index, property], message })
  }
  return [
    ...faults,
    ...repeated(roles, 'id', ({ id }) => id.toLowerCase()),
    ...repeated(roles, 'value', ({ value }) => value),
  ]
}

/**
 * Validates a change to the roles of an API. A role must be disabled before it is changed or
 * removed, so that a mistake does not remove a role in use.
 */
export function judgeAppRoleChange(
  before: readonly AppRole[],
  after: readonly AppRole[],
): ValidationIssue[] {
  const afterById = new Map(after.map((role) => [role.id.toLowerCase(), role]))
  return before.flatMap((role, index): ValidationIssue[] => {
    if (!role.isEnabled) return []
    const next = afterById.get(role.id.toLowerCase())
    if (next !== undefined && (!next.isEnabled || next.value === role.value)) return []
    return [
      {
        code: 'enabled_role',
        path: [index],
        message: 'cannot be deleted or updated unless disabled first',
      },
    ]
  })
}

function repeated(
  roles: readonly AppRole[],
  property: 'id' | 'value',
  keyOf: (role: AppRole) => string | null,
): ValidationIssue[] {
  const seen = new Set<string>()
  return roles.flatMap((role, index): ValidationIssue[] => {
    const key = keyOf(role)
    if (key === null) return []
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [
      {
        code: 'duplicate_value',
        path: [index, property],
        message: `must be unique among the roles of one API, and "${key}" is used twice`,
      },
    ]
  })
}
