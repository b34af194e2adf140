import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { labTables } from '@greeting/lab'

export const pagePath = join(import.meta.dirname, '../../../../docs/generated/lab.md')

/** The page as it is, and as the tables of the lab make it. */
export async function referencePage(): Promise<{ readonly is: string; readonly must: string }> {
  const is = await readFile(pagePath, 'utf8')
  let must = is
  for (const [section, table] of Object.entries(labTables())) {
    const start = must.indexOf('\n|', must.indexOf(`\n## ${section}\n`)) + 1
    const end = must.indexOf('|\n\n', start)
    must = `${must.slice(0, start)}${table}${must.slice(end === -1 ? must.length - 1 : end + 1)}`
  }
  return { is, must }
}
