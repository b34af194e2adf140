import type { DirectoryLookup } from './directory-lookup.ts'

/**
 * A lookup needs an answer that is not in memory. The directory store catches it, loads the answer, and
 * repeats the function. It never leaves the store.
 */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
  readonly lookup: DirectoryLookup

  constructor(lookup: DirectoryLookup) {
    super(`The lookup ${lookup.name} is not loaded`)
    this.lookup = lookup
  }
}
