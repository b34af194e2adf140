/**
 * Finds which of a guard's roles a token contains.
 *
 * Most tokens contain one of a few lists of roles. So each list is created and frozen once, and callers share it.
 */
export class DeclaredRoles<Role extends string> {
  readonly names: readonly Role[]
  readonly #lists = new Map<string, readonly Role[]>()

  constructor(names: readonly Role[]) {
    this.names = Object.freeze([...names])
  }

  /** The declared roles in the claim `roles`, if it is an array of strings. Case is significant. */
  rolesIn(claim: unknown): readonly Role[] {
    if (!Array.isArray(claim) || !claim.every((role) => typeof role === 'string')) return noRoles
    // One character for each declared role, so that different lists have different patterns.
    const pattern = this.names.map((role) => (claim.includes(role) ? '+' : '-')).join('')
    const cached = this.#lists.get(pattern)
    if (cached !== undefined) return cached
    const list = Object.freeze(this.names.filter((role) => claim.includes(role)))
    if (this.#lists.size === maxCachedLists) this.#lists.clear()
    this.#lists.set(pattern, list)
    return list
  }
}

const maxCachedLists = 100
const noRoles: readonly never[] = Object.freeze([])
