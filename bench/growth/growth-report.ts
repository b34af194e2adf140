import { markdownTable } from '../harness/report.ts'
import type { JudgedFigure, Unit } from './figure.ts'
import type { LatencyTable } from './latency.ts'

/** The results of one case. */
export type CaseResult = {
  readonly id: string
  readonly title: string
  readonly figures: readonly JudgedFigure[]
  readonly latencies: LatencyTable
  /** The load average of the machine after the case, over one minute. */
  readonly loadAverage: number
  /** The share of processor time, 0 to 1, that the host gave to other machines; null or missing: unknown. */
  readonly stolenShare?: number | null
  /** In UTC: `2026-11-22`. */
  readonly date: string
}

/** The results of one run on one database. */
export type GrowthResults = {
  readonly store: string
  readonly machine: string
  readonly cases: readonly CaseResult[]
}

const digits: Readonly<Record<Unit, number>> = {
  ...{ us: 0, kB: 0, ms: 1, s: 2, MB: 0, '/s': 0, '%': 1, x: 2, count: 0 },
}

const whole = (value: number): string => value.toLocaleString('en-US')

function textOf(value: number, unit: Unit): string {
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: digits[unit],
    maximumFractionDigits: digits[unit],
  })
  return unit === 'count' || unit === 'x' ? text : `${text} ${unit}`
}

/** The figures of a case as a Markdown table, with a column for each size. */
export function figureTable({ figures }: CaseResult): string {
  const sizes = [...new Set(figures.map(({ size }) => size))].toSorted((a, b) => a - b)
  const names = [...new Set(figures.map(({ what }) => what))]
  const body = names.map((name) => {
    const series = figures.filter(({ what }) => what === name)
    const largest = series.at(-1)
    const judgedOnes = series.filter(({ isReached }) => isReached !== null)
    const isReached = judgedOnes.every((figure) => figure.isReached)
    return [
      name,
      ...sizes.map((size) => {
        const figure = series.find((one) => one.size === size)
        return figure === undefined ? '' : textOf(figure.value, figure.unit)
      }),
      largest?.ratio?.toFixed(2) ?? '',
      judgedOnes.at(-1)?.goal ?? '',
      judgedOnes.length === 0 ? '' : isReached ? 'reached' : 'missed',
    ]
  })
  return markdownTable(['', ...sizes.map(whole), 'ratio', 'goal', 'result'], body)
}

/** The latencies of a case as a Markdown table; undefined without any. */
export const latencyTable = ({ latencies }: CaseResult): string | undefined =>
  latencies.length === 0
    ? undefined
    : markdownTable(
        ['tokens beside', 'size', 'requests', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'],
        latencies.map(({ beside, size, count, p50Ms, p90Ms, p99Ms, maxMs }) => [
          ...[beside, whole(size), whole(count)],
          ...[p50Ms, p90Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)),
        ]),
      )

const stateOf = ({ loadAverage, stolenShare }: CaseResult): string => {
  const stolen = stolenShare == null ? '' : `, stolen ${(stolenShare * 100).toFixed(1)} %`
  return `load average ${loadAverage.toFixed(1)}${stolen}`
}

/** A case as text: its title, the state of the machine and its tables. */
export const caseText = (result: CaseResult): string =>
  [
    `**${result.id}**: ${result.title}. ${result.date}, ${stateOf(result)}.`,
    figureTable(result),
    latencyTable(result),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')

/** The whole results of a run as Markdown. */
export const resultsText = ({ machine, cases }: GrowthResults): string =>
  [`Machine: ${machine}.`, ...cases.map(caseText)].join('\n\n')

/** The results of earlier runs, with those of a new run in place of the same cases. */
export const mergedCases = (
  earlier: readonly CaseResult[],
  latest: readonly CaseResult[],
  ids: readonly string[],
): CaseResult[] =>
  ids.flatMap((id) => [...latest, ...earlier].find((result) => result.id === id) ?? [])

/** The figures that miss a goal. */
export const missedOf = (cases: readonly CaseResult[]): JudgedFigure[] =>
  cases.flatMap(({ figures }) => figures.filter(({ isReached }) => isReached === false))

export const missedLine = ({ id, what, size, value, unit, ratio, goal }: JudgedFigure): string => {
  const ratioText = ratio === null ? '' : `, ratio ${ratio.toFixed(2)}`
  return `missed: ${id}, ${what} at ${whole(size)}: ${textOf(value, unit)}${ratioText} (${goal})`
}

const marker = (store: string) => ({
  begin: `<!-- written by npm run bench -- growth, ${store} -->`,
  end: `<!-- end of what npm run bench -- growth writes, ${store} -->`,
})

/**
 * The page with the results of another run.
 *
 * @throws {Error} when the page lacks the markers of this database
 */
export function withGrowthResults(page: string, results: GrowthResults): string {
  const { begin, end } = marker(results.store)
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/generated/growth.md lacks the markers of ${results.store}`)
  return `${before}${begin}\n\n${resultsText(results)}\n\n${end}${after}`
}
