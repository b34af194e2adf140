import { join } from 'node:path'
import type { RunState } from './interleave.ts'
import { repositoryFolder } from './programs.ts'
import type { Result } from './results.ts'
import type { Row } from './row.ts'

/** A goal: the minimum ratio of a row to another row of the same run. */
export const goals: readonly { id: string; to: string; atLeast: number }[] = [
  { id: 'greeting-node-remembered', to: 'greeting-node-open', atLeast: 0.92 },
  { id: 'greeting-node-remembered', to: 'haproxy-jwt-verify', atLeast: 2.2 },
  { id: 'greeting-bun-remembered', to: 'haproxy-jwt-verify', atLeast: 3.5 },
  { id: 'greeting-node-new', to: 'haproxy-jwt-verify-new', atLeast: 0.8 },
  { id: 'greeting-bun-new', to: 'haproxy-jwt-verify-new', atLeast: 1 },
  { id: 'identity-provider-sqlite', to: 'openssl-rsa2048-sign', atLeast: 0.8 },
  { id: 'identity-provider-sqlite-two-cores', to: 'identity-provider-sqlite', atLeast: 1.7 },
]

/** The ratio columns of each table: the rows by which a row may be divided. */
const ratioColumns: Readonly<
  Record<Row['table'], readonly { title: string; to: readonly string[] }[]>
> = {
  'resource server': [
    { title: 'to its open route', to: ['greeting-node-open', 'greeting-bun-open'] },
    { title: 'to HAProxy', to: ['haproxy-jwt-verify', 'haproxy-jwt-verify-new'] },
  ],
  'token endpoint': [
    { title: 'to openssl', to: ['openssl-rsa2048-sign'] },
    { title: 'to one core', to: ['identity-provider-sqlite', 'identity-provider-postgresql'] },
  ],
}

/** A Markdown table with aligned columns: the first to the left, the others to the right. */
export function markdownTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...body.map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, column) =>
      column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [line(head), line(rule), ...body.map(line)].join('\n')
}

/** The results as Markdown, one table for each kind of row. */
export function resultTables(rows: readonly Row[], results: readonly Result[]): string {
  return Object.entries(ratioColumns)
    .map(([table, columns]) => {
      const body = results.flatMap(({ id, requestsPerSecond, p99Ms, ratioTo }) => {
        const row = rows.find((candidate) => candidate.id === id && candidate.table === table)
        if (row === undefined) return []
        const ratios = columns.map(({ to }) =>
          to.flatMap((other) => ratioTo[other]?.toFixed(2) ?? []).join(''),
        )
        const rate = requestsPerSecond.toLocaleString('en-US')
        return [[row.title, rate, p99Ms?.toFixed(1) ?? '', ...ratios]]
      })
      return markdownTable(
        [table, 'requests/s', 'p99 ms', ...columns.map(({ title }) => title)],
        body,
      )
    })
    .join('\n\n')
}

/** The goals as a Markdown table. */
export function goalTable(rows: readonly Row[], results: readonly Result[]): string {
  const titleOf = (id: string) => rows.find((row) => row.id === id)?.title ?? id
  const body = goals.map(({ id, to, atLeast }) => {
    const result = results.find((candidate) => candidate.id === id)
    const [found, within] = [result?.ratioTo[to], result?.ratioWithin[to]]
    const verdict = found === undefined ? '' : found >= atLeast ? 'reached' : 'missed'
    return [
      `${titleOf(id)} to ${titleOf(to)}`,
      atLeast.toFixed(2),
      found?.toFixed(2) ?? 'not measured',
      within === undefined ? '' : `± ${Math.round(within * 100)} %`,
      verdict,
    ]
  })
  return markdownTable(['goal', 'at least', 'found', 'middle half', ''], body)
}

/** The rows that do not count, with the reasons. */
export const failureLines = (states: readonly RunState[]): string[] =>
  states.flatMap(({ row, failures }) =>
    [...failures].map((failure) => `${row.id} does not count: ${failure}`),
  )

export const performancePage = join(repositoryFolder, 'docs', 'generated', 'performance.md')

const begin = '<!-- written by npm run bench -->'
const end = '<!-- end of what npm run bench writes -->'

export const quoted = (rows: readonly Row[], results: readonly Result[]): string =>
  `${resultTables(rows, results)}\n\n${goalTable(rows, results)}`

/**
 * The page with the tables of another run.
 *
 * @throws {Error} when the page lacks the markers around its tables
 */
export function withResults(
  page: string,
  machine: string,
  rows: readonly Row[],
  results: readonly Result[],
): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`docs/generated/performance.md lacks the markers ${begin} and ${end}`)
  }
  const tables = quoted(rows, results)
  return `${before}${begin}\n\nMachine: ${machine}.\n\n${tables}\n\n${end}${after}`
}
