/**
 * The roles that a guard was declared with, and what tokens grant of them.
 *
 * Most tokens grant one of a few lists, so each list is made and frozen once, and callers share it.
 */
export class DeclaredRoles<Role extends string> {
  readonly names: readonly Role[]
  readonly #lists = new Map<string, readonly Role[]>()

  constructor(names: readonly Role[]) {
    this.names = Object.freeze([...names])
  }

  /** Only an array of strings grants anything; each role is compared whole, and by case. */
  grantedBy(claim: unknown): readonly Role[] {
    if (!Array.isArray(claim) || !claim.every((role) => typeof role === 'string')) return nothing
    // A sign for each declared role: no two lists are written alike.
    const pattern = this.names.map((role) => (claim.includes(role) ? '+' : '-')).join('')
    const known = this.#lists.get(pattern)
    if (known !== undefined) return known
    const list = Object.freeze(this.names.filter((role) => claim.includes(role)))
    if (this.#lists.size === mostLists) this.#lists.clear()
    this.#lists.set(pattern, list)
    return list
  }
}

const mostLists = 100
const nothing: readonly never[] = Object.freeze([])
