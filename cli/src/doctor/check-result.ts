import type { ExitName } from '../exit-codes.ts'
import type { Probes } from './probes.ts'

/** The result of one check. */
export type CheckResult =
  | { readonly state: 'right' | 'unknown'; readonly detail: string }
  | { readonly state: 'warning'; readonly detail: string; readonly remedy: string }
  | {
      readonly state: 'wrong'
      readonly detail: string
      readonly remedy: string
      /** Exit code of the command when this check fails first. */
      readonly exit: ExitName
    }

/** One check of the path that a job takes. */
export type Check = {
  readonly step: string
  readonly run: (facts: Probes) => CheckResult
}

export const right = (detail: string): CheckResult => ({ state: 'right', detail })
export const unknown = (detail: string): CheckResult => ({ state: 'unknown', detail })
export const warning = (detail: string, remedy: string): CheckResult => ({
  state: 'warning',
  detail,
  remedy,
})
export const wrong = (exit: ExitName, detail: string, remedy: string): CheckResult => ({
  state: 'wrong',
  detail,
  remedy,
  exit,
})
