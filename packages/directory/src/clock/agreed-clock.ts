// Folder: Compares the clocks of server and store, because steps that cannot be undone need a right time.

import { AgreedTime } from './agreed-time.ts'
import type { ClockMarkStore, ClockMarks } from './clock-marks.ts'

/** Tokens are valid 300 s before they are issued, and APIs tolerate 60 s. This is far less. */
const toleranceMs = 30_000
/** A server whose clock has moved is not ready for this long: clocks that are corrected settle in it. */
const settlingMs = 300_000
/** Longer than a token is valid, and the time in which an operator may correct a clock. */
const longestDoubtMs = 25 * 3_600_000

export type AgreedClockOptions = {
  readonly now: () => Date
  /**
   * Time since the start of the machine in milliseconds, including the time in which it sleeps. Undefined for a
   * clock that a lab or a test moves on purpose: every time of it is agreed.
   */
  readonly elapsedMs: (() => number) | undefined
  /** The time of the store in epoch milliseconds; undefined when the store has no clock. */
  readonly readStoreMs: () => Promise<number | undefined>
  /** Used when the store has no clock. */
  readonly marks: ClockMarkStore
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>
}

/** Both clocks at one moment. */
type Moment = { readonly wallMs: number; readonly elapsedMs: number }

/** The latest time that is known to be right. */
type Anchor = {
  readonly wallMs: number
  /** Undefined when another process saw it: then any later time is possible. */
  readonly elapsedMs: number | undefined
  /** The uncertainty of its measurement. */
  readonly slackMs: number
}

/** A difference from the anchor, and the moment from which the clock has gone evenly since. */
type Doubt = {
  /** `moved`: the clock contradicts the anchor. `gap`: no server saw the time between. */
  readonly kind: 'moved' | 'gap'
  readonly byMs: number
  readonly from: Moment
  /** Before `from` when an earlier process began this doubt. */
  readonly sinceWallMs: number
}

/**
 * The gate for every irreversible step: it returns the time for the step, or none while the clock may be wrong.
 *
 * A store with its own clock decides. Otherwise, the clock is compared with the time since the start
 * of the machine, and with the latest agreed time in the store. There either may be right. So a doubt ends
 * after as long as it is about, and after 25 hours at most, if the clock goes evenly.
 */
export class AgreedClock {
  readonly #options: AgreedClockOptions
  #anchor: Anchor | undefined
  #isOfStore = false
  #doubt: Doubt | undefined
  #storedDoubtMs: number | undefined
  #disagreements = 0

  private constructor(options: AgreedClockOptions) {
    this.#options = options
  }

  static async open(options: AgreedClockOptions): Promise<AgreedClock> {
    const clock = new AgreedClock(options)
    // On a full disk the server starts without a new mark. The next comparison reports it.
    if (options.elapsedMs !== undefined && !(await clock.#askStore())) {
      await clock.#readMarks()
      await clock.#writeMarks().catch(() => undefined)
    }
    return clock
  }

  /** The time for a step that cannot be undone; undefined while the clock may be wrong. */
  agreedTime = async (): Promise<AgreedTime | undefined> => {
    if (this.#isOfStore) await this.#askStore()
    return this.#check() === undefined ? new AgreedTime(this.#earliest()) : undefined
  }

  /** False while the clock is known to differ from another one. */
  isReady(): boolean {
    const doubt = this.#check()
    if (doubt === undefined || doubt.kind === 'gap') return true
    return !this.#isOfStore && this.#moment().elapsedMs - doubt.from.elapsedMs >= settlingMs
  }

  /** The owner must call it each minute. */
  async compare(): Promise<void> {
    if (this.#options.elapsedMs === undefined) return
    if (!(await this.#askStore())) await this.#writeMarks()
  }

  /** How far this clock is ahead, in seconds; undefined while there is nothing to compare it with. */
  get offsetSeconds(): number | undefined {
    const doubt = this.#check()
    if (this.#anchor === undefined || doubt?.kind === 'gap') return undefined
    return differenceMs(this.#anchor, this.#moment()) / 1000
  }

  /** The current time, or while it may be wrong, the latest one that is known to be right. */
  get latestAgreed(): Date {
    const anchor = this.#anchor
    if (anchor === undefined || this.#check() === undefined) return this.#options.now()
    const { elapsedMs } = this.#moment()
    return new Date(anchor.wallMs + (elapsedMs - (anchor.elapsedMs ?? elapsedMs)))
  }

  /** How often this clock was found to differ. */
  get disagreements(): number {
    return this.#disagreements
  }

  /** Whether steps that cannot be undone wait for an agreed time. */
  get isInDoubt(): boolean {
    return this.#check() !== undefined
  }

  /** Whether a time may come again that other servers, or this one, have seen already. */
  get isBehind(): boolean {
    const doubt = this.#check()
    return doubt?.kind === 'moved' && doubt.byMs < 0
  }

  /** @returns false for a store without a clock */
  async #askStore(): Promise<boolean> {
    const before = this.#moment()
    const storeMs = await this.#options.readStoreMs()
    if (storeMs === undefined) return false
    // The store read its clock between the two moments.
    const slackMs = (this.#moment().elapsedMs - before.elapsedMs) / 2
    this.#isOfStore = true
    this.#anchor = { wallMs: storeMs, elapsedMs: before.elapsedMs + slackMs, slackMs }
    this.#check()
    return true
  }

  async #readMarks(): Promise<void> {
    const stored = await this.#options.marks.read()
    this.#anchor = anchorOf(stored, this.#moment())
    this.#storedDoubtMs = stored?.doubtedSince?.getTime()
  }

  async #writeMarks(): Promise<void> {
    const doubt = this.#check()
    const moment = this.#moment()
    const anchor = (doubt && this.#anchor) ?? { ...moment, slackMs: 0 }
    this.#anchor = anchor
    await this.#options.marks.write({
      agreed: new Date(anchor.wallMs),
      doubtedSince: doubt === undefined ? null : new Date(doubt.sinceWallMs),
    })
  }

  /** Compares the clocks now. Logs the start and the end of a doubt. */
  #check(): Doubt | undefined {
    const anchor = this.#anchor
    if (anchor === undefined) return undefined
    const moment = this.#moment()
    const byMs = differenceMs(anchor, moment)
    const kind = anchor.elapsedMs === undefined && byMs > 0 ? 'gap' : 'moved'
    const doubt = this.#doubt
    if (Math.abs(byMs) <= toleranceMs + anchor.slackMs) this.#agree('agrees')
    else if (doubt === undefined || doubt.kind !== kind || !isEven(doubt.from, moment))
      this.#begin({ kind, byMs, from: moment, sinceWallMs: this.#sinceMs(anchor, moment) })
    else if (!this.#isOfStore && moment.wallMs - doubt.sinceWallMs >= doubtMs(doubt)) {
      this.#anchor = { ...moment, slackMs: 0 }
      this.#agree('is believed')
    }
    return this.#doubt
  }

  #begin(doubt: Doubt): void {
    const isNew = this.#doubt?.kind !== doubt.kind
    this.#doubt = doubt
    const offsetSeconds = Math.round(doubt.byMs / 1000)
    const heldSeconds = Math.round(doubtMs(doubt) / 1000)
    const { log } = this.#options
    if (doubt.kind === 'gap') {
      const sentence = `no server saw the last ${offsetSeconds} s, so nothing is deleted by its age for ${heldSeconds} s`
      if (doubtMs(doubt) >= settlingMs) log.info({ offsetSeconds }, sentence)
      return
    }
    if (!isNew) return
    this.#disagreements += 1
    const end = this.#isOfStore ? 'until the clocks agree' : `for up to ${heldSeconds} s`
    log.warn(
      { offsetSeconds },
      `the clock of this server ${this.#contradiction(offsetSeconds)}: correct the wrong one. Nothing is deleted by its age ${end}.`,
    )
  }

  #contradiction(offsetSeconds: number): string {
    const seconds = `${Math.abs(offsetSeconds)} s`
    if (this.#isOfStore)
      return `is ${seconds} ${offsetSeconds > 0 ? 'ahead of' : 'behind'} the clock of the database`
    if (this.#anchor?.elapsedMs === undefined) return `is ${seconds} behind the store`
    return `moved ${offsetSeconds > 0 ? 'forward' : 'back'} by ${seconds}`
  }

  #agree(end: 'agrees' | 'is believed'): void {
    const doubt = this.#doubt
    this.#doubt = undefined
    if (doubt === undefined || (doubt.kind === 'gap' && doubtMs(doubt) < settlingMs)) return
    const other = this.#isOfStore ? ' with the database' : ''
    this.#options.log.info({}, `the clock of this server ${end}${other} again`)
  }

  /** The start of a doubt that an earlier process had about the same times. */
  #sinceMs(anchor: Anchor, { wallMs }: Moment): number {
    const storedMs = this.#storedDoubtMs
    this.#storedDoubtMs = undefined
    if (storedMs === undefined || storedMs > wallMs) return wallMs
    const isSameSide = storedMs < anchor.wallMs === wallMs < anchor.wallMs
    return isSameSide ? storedMs : wallMs
  }

  #earliest(): Date {
    const anchor = this.#anchor
    const { wallMs } = this.#moment()
    const aheadMs = anchor === undefined ? 0 : Math.max(0, differenceMs(anchor, this.#moment()))
    return new Date(wallMs - aheadMs)
  }

  #moment(): Moment {
    const { now, elapsedMs = () => 0 } = this.#options
    return { wallMs: now().getTime(), elapsedMs: elapsedMs() }
  }
}

const anchorOf = (stored: ClockMarks | undefined, moment: Moment): Anchor =>
  stored === undefined
    ? { ...moment, slackMs: 0 }
    : { wallMs: stored.agreed.getTime(), elapsedMs: undefined, slackMs: 0 }

/** How far the clock is ahead of where the anchor puts it. */
const differenceMs = (anchor: Anchor, { wallMs, elapsedMs }: Moment): number =>
  wallMs - anchor.wallMs - (anchor.elapsedMs === undefined ? 0 : elapsedMs - anchor.elapsedMs)

const isEven = (from: Moment, moment: Moment): boolean =>
  Math.abs(moment.wallMs - from.wallMs - (moment.elapsedMs - from.elapsedMs)) <= toleranceMs

const doubtMs = ({ byMs }: Doubt): number => Math.min(Math.abs(byMs), longestDoubtMs)
