/** One day in milliseconds. */
export const dayMs = 86_400_000

/**
 * A time that something else than this server's clock confirms. Each step that deletes by age
 * requires it, so that a wrong clock destroys nothing.
 *
 * Only `AgreedClock` makes it. A test does so for a clock that it controls.
 */
export class AgreedTime {
  readonly #date: Date

  constructor(date: Date) {
    this.#date = date
  }

  get date(): Date {
    return this.#date
  }
}
