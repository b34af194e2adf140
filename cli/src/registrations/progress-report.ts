import type { Activity } from '@greeting/registrations/apply'
import type { Terminal } from '../terminal.ts'
import { waitText } from '../text/time.ts'

const activityTexts: Readonly<Record<Activity, string>> = {
  read_applications: 'Reading applications',
  read_service_principals: 'Reading service principals',
  read_role_assignments: 'Reading app role assignments',
  read_credentials_and_owners: 'Reading credentials and owners',
  apply_changes: 'Applying changes',
}

const redrawIntervalMs = 100
const plainIntervalMs = 5_000
const jsonIntervalMs = 1_000
// From this number on, a run is long enough for a first message without a terminal.
const manyRegistrations = 100

type ProgressOptions = {
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number
}

/** Reports the progress of a run on the error stream: redrawn on a terminal, else as lines. */
export class ProgressReport {
  readonly #terminal: Pick<Terminal, 'err' | 'redraw'>
  readonly #options: ProgressOptions
  readonly #intervalMs: number
  #begun: { readonly activity: Activity; readonly startMs: number } | undefined
  #shownMs: number
  /** The reason of the wait that was reported last, and its end. */
  #wait = { reason: '', untilMs: Number.NEGATIVE_INFINITY }

  constructor(terminal: Pick<Terminal, 'err' | 'redraw'>, options: ProgressOptions) {
    const { json, monotonicMs } = options
    this.#terminal = terminal
    this.#options = options
    const textIntervalMs = terminal.redraw ? redrawIntervalMs : plainIntervalMs
    this.#intervalMs = json ? jsonIntervalMs : textIntervalMs
    // Without a terminal, a short run prints nothing.
    this.#shownMs = json || terminal.redraw ? Number.NEGATIVE_INFINITY : monotonicMs()
  }

  /** Reports how many registrations of a file, or of the directory, are compared. */
  readonly begin = (file: string, registrations: number): void => {
    const isShown = this.#terminal.redraw || registrations >= manyRegistrations
    const noun = registrations === 1 ? 'registration' : 'registrations'
    const text = `Comparing ${registrations} ${noun} of ${file} with the directory.\n`
    this.#print({ event: 'plan_started', file, registrations }, isShown ? text : '')
  }

  readonly update = (activity: Activity, done: number, total: number | undefined): void => {
    const { json, monotonicMs, quiet } = this.#options
    if (quiet) return
    const nowMs = monotonicMs()
    const isNew = this.#begun?.activity !== activity
    if (isNew || this.#begun === undefined) this.#begun = { activity, startMs: nowMs }
    // JSON has the first and the last event of each activity, for programs that count.
    const isDue = json && (isNew || done === total)
    if (!isDue && nowMs - this.#shownMs < this.#intervalMs) return
    this.#shownMs = nowMs
    const perSecond = (done / Math.max(nowMs - this.#begun.startMs, 1)) * 1000
    const secondsLeft =
      total === undefined || done === 0 ? undefined : Math.ceil((total - done) / perSecond)
    if (json) {
      const rates = {
        per_second: Math.round(perSecond * 10) / 10,
        seconds_left: secondsLeft ?? null,
      }
      this.#print({ event: 'progress', activity, done, total: total ?? null, ...rates }, '')
      return
    }
    const share = total === undefined ? '' : ` of ${total} (${Math.floor((done / total) * 100)} %)`
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    const text = `${activityTexts[activity]}: ${done}${share}, ${Math.round(perSecond)} per second${left}`
    if (this.#terminal.redraw) this.#terminal.redraw(text)
    else this.#terminal.err(`${text}\n`)
  }

  /** Reports that requests wait before their next attempt: once for all that have the same reason. */
  readonly wait = (reason: string, durationMs: number): void => {
    if (this.#options.quiet) return
    const nowMs = this.#options.monotonicMs()
    if (reason === this.#wait.reason && nowMs < this.#wait.untilMs) return
    this.#wait = { reason, untilMs: nowMs + durationMs }
    const event = { event: 'waiting', reason, seconds: durationMs / 1000 }
    this.#print(event, waitText('The directory', reason, durationMs))
  }

  /** Removes the redrawn line. */
  readonly end = (): void => {
    this.#begun = undefined
    this.#terminal.redraw?.('')
  }

  #print(event: object, text: string): void {
    const { json, quiet } = this.#options
    if (!quiet && (json || text)) this.#terminal.err(json ? `${JSON.stringify(event)}\n` : text)
  }
}
