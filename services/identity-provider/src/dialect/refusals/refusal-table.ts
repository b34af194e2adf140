// Folder: The errors of Entra: one row for each, and their envelope.

import { accessRefusalRows } from './access-refusal-rows.ts'
import { authenticationRefusalRows } from './authentication-refusal-rows.ts'
import type { Refusal, RefusalRow, RefusalRows } from './refusal.ts'
import { requestRefusalRows } from './request-refusal-rows.ts'

/** Every refusal of the dialect, one row each. */
export const refusalTable: RefusalRows<Refusal['reason']> = {
  ...requestRefusalRows,
  ...authenticationRefusalRows,
  ...accessRefusalRows,
}

/** The row of a refusal, with its sentence as text. */
export function rowOf(refusal: Refusal): Omit<RefusalRow<Refusal['reason']>, 'sentence'> & {
  readonly sentence: string
} {
  const row = refusalTable[refusal.reason] as RefusalRow<Refusal['reason']>
  return { ...row, sentence: row.sentence(refusal) }
}
