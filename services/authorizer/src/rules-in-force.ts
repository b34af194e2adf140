import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Guard } from '@greeting/guard'
import type { Logger } from 'pino'
import { parseRules, type Rules } from './rules-file.ts'

/** Rules, and a guard that knows their roles. */
export type GuardedRules = { readonly rules: Rules; readonly guard: Guard }

/** The options for following a file of rules. */
export type RulesInForceOptions = {
  readonly file: string
  readonly guardFor: (roles: readonly string[]) => Guard
  readonly log: Logger
  readonly onReload: (result: 'success' | 'failure') => void
  /** How often the file is looked at, and keys are awaited, in milliseconds. */
  readonly watchMs: number
}

/** The rules of a file. A change is in force when it has no fault and its guard has keys. */
export class RulesInForce {
  readonly #options: RulesInForceOptions
  #current: GuardedRules
  /** The text that was read last; undefined when the file could not be read. */
  #text: string | undefined
  #timer: NodeJS.Timeout | undefined
  #changes = 0
  #reloading = Promise.resolve()
  #isStopped = false

  constructor(options: RulesInForceOptions, rules: Rules) {
    this.#options = options
    this.#text = rules.text
    this.#current = { rules, guard: options.guardFor(rules.roles) }
  }

  get current(): GuardedRules {
    return this.#current
  }

  /** Begins to fetch the keys, and follows the file. */
  start(): void {
    void this.#current.guard.start()
    const { file, watchMs } = this.#options
    // A mounted file of Kubernetes changes by a link, which watchers do not see. A comparison with an
    // earlier time of change would miss a change that came after the first reading.
    this.#timer = setInterval(async () => {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === this.#text || this.#isStopped) return
      this.#text = text
      void this.reload()
    }, watchMs).unref()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#current.guard.stop()
  }

  /** Reads the file again. Resolves when its rules are in force, or when the old ones stay so. */
  readonly reload = (): Promise<void> => {
    this.#changes += 1
    const change = this.#changes
    this.#reloading = this.#reloading.then(() => this.#reload(change))
    return this.#reloading
  }

  async #reload(change: number): Promise<void> {
    const { file, log, onReload } = this.#options
    try {
      this.#text = await readFile(file, 'utf8')
      const rules = parseRules(file, this.#text)
      if (!(await this.#use(rules, change))) return
      onReload('success')
      log.info({ file, rules: rules.set.rules.length }, 'the new rules are in force')
    } catch (cause) {
      onReload('failure')
      const reason = cause instanceof Error ? cause.message : String(cause)
      log.error({ file, reason }, 'the rules could not be read again, the old ones stay in force')
    }
  }

  /** @returns false when the service stops, or the file has changed again before */
  async #use(rules: Rules, change: number): Promise<boolean> {
    const { rules: old, guard } = this.#current
    const isOver = () => this.#isStopped || change !== this.#changes
    if (new Set(rules.roles).symmetricDifference(new Set(old.roles)).size === 0) {
      this.#current = { rules, guard }
      return true
    }
    const { file, guardFor, log, watchMs } = this.#options
    const next = guardFor(rules.roles)
    await next.start()
    // A guard without keys would refuse every request, while the old one still has them.
    for (let turn = 0; !isOver() && !next.isReady() && guard.isReady(); turn += 1) {
      if (turn === 0)
        log.warn({ file }, 'the new rules wait for the keys, the old ones stay in force')
      await sleep(watchMs, undefined, { ref: false })
    }
    if (isOver()) {
      next.stop()
      return false
    }
    this.#current = { rules, guard: next }
    guard.stop()
    return true
  }
}

/** @throws {RulesFileError} rules_file_invalid with all faults; or Node's error about the file */
export const readRules = async (file: string): Promise<Rules> =>
  parseRules(file, await readFile(file, 'utf8'))
