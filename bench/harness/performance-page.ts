import { join } from 'node:path'
import type { Contender } from './contender.ts'
import { repositoryFolder } from './programs.ts'
import { goalTable, resultTables } from './report.ts'
import type { Result } from './result.ts'

/** The page for users whose tables a whole run rewrites. */
export const performancePage = join(repositoryFolder, 'docs', 'evidence', 'performance.md')

const begin = '<!-- written by npm run bench -->'
const end = '<!-- end of what npm run bench writes -->'

/** What the page quotes of a run: its tables. */
export const quoted = (contenders: readonly Contender[], results: readonly Result[]): string =>
  results.length === 0
    ? 'No run has been kept yet.'
    : `${resultTables(contenders, results)}\n\n${goalTable(contenders, results)}`

/**
 * The page with the tables of another run.
 *
 * @throws {Error} when the page has lost the marks between which they stand
 */
export function withResults(
  page: string,
  machine: string,
  contenders: readonly Contender[],
  results: readonly Result[],
): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`docs/evidence/performance.md lacks the marks ${begin} and ${end}`)
  }
  return `${before}${begin}\n\nMachine: ${machine}.\n\n${quoted(contenders, results)}\n\n${end}${after}`
}
