import type { ExitName } from '../exit-codes.ts'
import type { Probes } from './probes.ts'

/** What the doctor says of one step. */
export type CheckResult =
  | { readonly state: 'right' | 'unknown'; readonly says: string }
  | { readonly state: 'warning'; readonly says: string; readonly mend: string }
  | {
      readonly state: 'wrong'
      readonly says: string
      readonly mend: string
      /** How the command ends because of it. */
      readonly exit: ExitName
    }

/** One step of the path that a job walks. */
export type Check = {
  readonly step: string
  readonly judge: (facts: Probes) => CheckResult
}

export const right = (says: string): CheckResult => ({ state: 'right', says })
export const unknown = (says: string): CheckResult => ({ state: 'unknown', says })
export const warning = (says: string, mend: string): CheckResult => ({
  state: 'warning',
  says,
  mend,
})
export const wrong = (exit: ExitName, says: string, mend: string): CheckResult => ({
  state: 'wrong',
  says,
  mend,
  exit,
})
