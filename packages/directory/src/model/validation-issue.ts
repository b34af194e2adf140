/** A property of an object that breaks a rule of the directory. */
export type ValidationIssue = {
  readonly code: 'invalid_value' | 'duplicate_value' | 'enabled_role'
  /** The place of the property in the object. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The text of a path: `apis[0].appRoles[1].value`. */
export const propertyPathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, depth) =>
      typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
