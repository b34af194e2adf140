// Folder: The errors of Entra: one row for each, and their envelope.

import { issuanceRefusalRows } from './issuance-refusal-rows.ts'
import type { Refusal, RefusalRow, RefusalRows } from './refusal.ts'
import { requestRefusalRows } from './request-refusal-rows.ts'

/** Every refusal of the dialect, one row each. */
export const refusalTable: RefusalRows<Refusal['reason']> = {
  ...requestRefusalRows,
  ...issuanceRefusalRows,
}

/** The row of a refusal, with its sentence as text. */
export function rowOf(refusal: Refusal): Omit<RefusalRow<Refusal['reason']>, 'sentence'> & {
  readonly sentence: string
} {
  const row = refusalTable[refusal.reason] as RefusalRow<Refusal['reason']>
  return { ...row, sentence: row.sentence(refusal) }
}
