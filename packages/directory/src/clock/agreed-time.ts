/** One day in milliseconds. */
export const dayMs = 86_400_000

/**
 * A time that the clock of this server does not have alone: something else confirms it. Each step that
 * deletes by age takes it, so that a clock that is wrong destroys nothing.
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
