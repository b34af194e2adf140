/** What is wrong with one property of an object that somebody wants in the directory. */
export type ValidationIssue = {
  readonly code: 'invalid_value' | 'duplicate_value' | 'enabled_role' | 'unverified_name'
  /** Where it is, from the object that was judged. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** An object that the rules of the directory do not let in; every fault is told. */
export class DirectoryFaultError extends Error {
  readonly code = 'DIRECTORY_FAULT'
  override readonly name = 'DirectoryFaultError'
  readonly faults: readonly ValidationIssue[]

  constructor(faults: readonly ValidationIssue[]) {
    super(faults.map(({ path, message }) => `${written(path)} ${message}`).join('; '))
    this.faults = faults
  }
}

/** A path as people write it: `apis[0].appRoles[1].value`. */
export const written = (path: readonly PropertyKey[]): string =>
  path
    .map((step, depth) =>
      typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
