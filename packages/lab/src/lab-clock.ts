/** A duration. Its parts are added. */
export type Duration = Readonly<
  Partial<Record<'days' | 'hours' | 'minutes' | 'seconds' | 'milliseconds', number>>
>

/** The state of a lab clock. */
export type ClockState = {
  readonly now: Date
  readonly isFrozen: boolean
  /** The difference to the clock of the system, in milliseconds. */
  readonly offsetMs: number
}

const unitsMs: Readonly<Record<keyof Duration, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
}
/** Certificates and stored times stay in their range. */
const [earliestMs, latestMs] = [Date.UTC(2001), Date.UTC(2099)]

/**
 * The wall clock of a lab. Until it is changed, it is the system clock. Issuance, expiry, key
 * schedule, secrets and audit follow it, but timers do not.
 */
export class LabClock {
  readonly #systemNowMs: () => number
  readonly #onChange: () => void
  #offsetMs = 0
  #frozenAtMs: number | undefined

  /** @param onChange called after each change, for work that depends on the time */
  constructor(systemNowMs: () => number = Date.now, onChange: () => void = () => {}) {
    this.#systemNowMs = systemNowMs
    this.#onChange = onChange
  }

  /** The current time of the lab. */
  now = (): Date => new Date(this.wallClockMs())

  /** The current time in milliseconds since the epoch. A guard takes it as its option. */
  wallClockMs = (): number => this.#frozenAtMs ?? this.#systemNowMs() + this.#offsetMs

  /**
   * Stops the clock.
   *
   * @param at the time that it then shows; default: the current one
   * @throws {RangeError} when the time is outside the years 2001 to 2098
   */
  freeze(at: Date = this.now()): void {
    this.#frozenAtMs = checked(at.getTime())
    this.#onChange()
  }

  /** Lets a frozen clock continue from its time. */
  resume(): void {
    this.#offsetMs = this.wallClockMs() - this.#systemNowMs()
    this.#frozenAtMs = undefined
    this.#onChange()
  }

  /**
   * Moves the clock, frozen or not. A negative duration moves it back.
   *
   * @throws {RangeError} when the new time is outside the years 2001 to 2098
   */
  advance(by: Duration): void {
    const byMs = Object.entries(by).reduce(
      (sum, [unit, count]) => sum + count * (unitsMs[unit as keyof Duration] ?? Number.NaN),
      0,
    )
    this.set(new Date(this.wallClockMs() + byMs))
  }

  /**
   * Sets the clock. A frozen clock stays frozen.
   *
   * @throws {RangeError} when the time is outside the years 2001 to 2098
   */
  set(to: Date): void {
    const toMs = checked(to.getTime())
    if (this.#frozenAtMs === undefined) this.#offsetMs = toMs - this.#systemNowMs()
    else this.#frozenAtMs = toMs
    this.#onChange()
  }

  /** Follows the clock of the system again. */
  reset(): void {
    this.#offsetMs = 0
    this.#frozenAtMs = undefined
    this.#onChange()
  }

  get state(): ClockState {
    const now = this.now()
    const offsetMs = now.getTime() - this.#systemNowMs()
    return { now, isFrozen: this.#frozenAtMs !== undefined, offsetMs }
  }
}

function checked(timeMs: number): number {
  if (timeMs >= earliestMs && timeMs < latestMs) return timeMs
  throw new RangeError('The clock of the lab must stay within the years 2001 to 2098')
}
