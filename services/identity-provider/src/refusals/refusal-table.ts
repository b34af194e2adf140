// Folder: Each refusal of the token endpoint is one row: its reason, its phase and its texts.

import { accessRefusalRows } from './access-refusal-rows.ts'
import { authenticationRefusalRows } from './authentication-refusal-rows.ts'
import type { Refusal } from './refusal.ts'
import type { RefusalRow } from './refusal-row.ts'
import { requestRefusalRows } from './request-refusal-rows.ts'

type Row = RefusalRow<'request' | 'authentication' | 'access'>

/** Every refusal of the dialect, one row each. */
export const refusalTable: { readonly [Reason in Refusal['reason']]: Row } = {
  ...requestRefusalRows,
  ...authenticationRefusalRows,
  ...accessRefusalRows,
}

/** The row of a refusal, with its sentence as text. */
export function rowOf(refusal: Refusal): Omit<Row, 'sentence'> & { readonly sentence: string } {
  const row = refusalTable[refusal.reason]
  return { ...row, sentence: row.sentence(refusal as never) }
}
