import { refusalTable } from '../../src/refusals/refusal-table.ts'

/**
 * What the rows say of each code, in the order of the codes. Several reasons may have one code.
 *
 * @throws {Error} two rows of one code differ
 */
export function byCode<Column extends 'check' | 'clientRemedy'>(
  column: Column,
): [code: number, value: NonNullable<(typeof refusalTable)['internal'][Column]>][] {
  const values = new Map<number, NonNullable<(typeof refusalTable)['internal'][Column]>>()
  for (const { code, [column]: value } of Object.values(refusalTable)) {
    if (value === null) continue
    if ((values.get(code) ?? value) !== value)
      throw new Error(`the rows of AADSTS${code} differ in ${column}`)
    values.set(code, value)
  }
  return [...values].sort(([a], [b]) => a - b)
}

/** The first lines of a file that is generated from the rows. */
export const rowsMark =
  '// Generated from the rows of the refusals: npm run generate.\n// biome-ignore-all format: one line for each row'
