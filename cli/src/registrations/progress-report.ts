import type { Activity } from '@greeting/registrations/apply'
import type { Terminal } from '../terminal.ts'

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

type Begun = { readonly activity: Activity; readonly startMs: number }

/** Reports the progress of a run on the error stream: redrawn on a terminal, else as lines. */
export class ProgressReport {
  readonly #terminal: Pick<Terminal, 'err' | 'redraw'>
  readonly #options: ProgressOptions
  #begun: Begun | undefined
  #shownMs: number
  /** The reason of the wait that was reported last, and its end. */
  #wait = { reason: '', untilMs: Number.NEGATIVE_INFINITY }

  constructor(terminal: Pick<Terminal, 'err' | 'redraw'>, options: ProgressOptions) {
    this.#terminal = terminal
    this.#options = options
    // Without a terminal, a short run prints nothing.
    const isAtOnce = options.json || terminal.redraw !== undefined
    this.#shownMs = isAtOnce ? Number.NEGATIVE_INFINITY : options.monotonicMs()
  }

  /** Reports how many registrations of a file, or of the directory, are compared. */
  readonly begin = (path: string, registrations: number): void => {
    const { json, quiet } = this.#options
    if (quiet) return
    if (json) this.#event({ event: 'plan_started', file: path, registrations })
    else if (this.#terminal.redraw || registrations >= manyRegistrations)
      this.#terminal.err(
        `Comparing ${registrations} ${registrations === 1 ? 'registration' : 'registrations'} of ${path} with the directory.\n`,
      )
  }

  readonly update = (activity: Activity, done: number, total: number | undefined): void => {
    if (this.#options.quiet) return
    const nowMs = this.#options.monotonicMs()
    const isNew = this.#begun?.activity !== activity
    if (isNew || this.#begun === undefined) this.#begun = { activity, startMs: nowMs }
    // JSON has the first and the last event of each activity, for programs that count.
    const isDue = this.#options.json && (isNew || done === total)
    if (!isDue && nowMs - this.#shownMs < this.#intervalMs) return
    const perSecond = (done / Math.max(nowMs - this.#begun.startMs, 1)) * 1000
    const secondsLeft =
      total === undefined || done === 0 ? undefined : Math.ceil((total - done) / perSecond)
    this.#shownMs = nowMs
    this.#show(activity, { done, total, perSecond, secondsLeft })
  }

  /** Reports that requests wait before their next attempt: once for all that have the same reason. */
  readonly wait = (reason: string, durationMs: number): void => {
    const { json, monotonicMs, quiet } = this.#options
    if (quiet) return
    const nowMs = monotonicMs()
    if (reason === this.#wait.reason && nowMs < this.#wait.untilMs) return
    this.#wait = { reason, untilMs: nowMs + durationMs }
    if (json) this.#event({ event: 'waiting', reason, seconds: durationMs / 1000 })
    else
      this.#terminal.err(
        `The directory: ${reason}. Next attempt in ${(durationMs / 1000).toFixed(1)} s.\n`,
      )
  }

  /** Removes the redrawn line. */
  readonly end = (): void => {
    this.#begun = undefined
    this.#terminal.redraw?.('')
  }

  get #intervalMs(): number {
    if (this.#options.json) return jsonIntervalMs
    return this.#terminal.redraw ? redrawIntervalMs : plainIntervalMs
  }

  #show(activity: Activity, { done, total, perSecond, secondsLeft }: Shown): void {
    const { err, redraw } = this.#terminal
    if (this.#options.json) {
      this.#event({
        event: 'progress',
        activity,
        done,
        total: total ?? null,
        per_second: Math.round(perSecond * 10) / 10,
        seconds_left: secondsLeft ?? null,
      })
      return
    }
    const share =
      total === undefined
        ? `${done}`
        : `${done} of ${total} (${Math.floor((done / total) * 100)} %)`
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    const text = `${activityTexts[activity]}: ${share}, ${Math.round(perSecond)} per second${left}`
    if (redraw) redraw(text)
    else err(`${text}\n`)
  }

  #event(event: object): void {
    this.#terminal.err(`${JSON.stringify(event)}\n`)
  }
}

type Shown = {
  readonly done: number
  readonly total: number | undefined
  readonly perSecond: number
  readonly secondsLeft: number | undefined
}
