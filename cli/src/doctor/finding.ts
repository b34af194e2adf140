import type { ExitName } from '../exit-codes.ts'
import type { Facts } from './facts.ts'

/** What the doctor says of one step. */
export type Finding =
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
  readonly judge: (facts: Facts) => Finding
}

export const right = (says: string): Finding => ({ state: 'right', says })
export const unknown = (says: string): Finding => ({ state: 'unknown', says })
export const warning = (says: string, mend: string): Finding => ({ state: 'warning', says, mend })
export const wrong = (exit: ExitName, says: string, mend: string): Finding => ({
  state: 'wrong',
  says,
  mend,
  exit,
})
