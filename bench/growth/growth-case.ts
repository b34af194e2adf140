import { markdownTable } from '../figures.ts'
import type { Options } from '../options.ts'
import type { Stores } from './stores.ts'

/** What a case receives. */
type GrowthContext = Pick<Options, 'sizes' | 'seconds' | 'rounds' | 'tiny'> & {
  readonly stores: Stores
}

/** The units of a figure, with the digits of each in a table. */
const digits = { us: 0, ms: 1, s: 2, MB: 0, '/s': 0, x: 2 } as const

/** One measured value. */
export type Figure = {
  /** The name of the value, equal at all sizes. */
  readonly what: string
  /** The size at which it was measured: applications, tenants or roles, as the case says. */
  readonly size: number
  readonly value: number
  readonly unit: keyof typeof digits
}

/** The figures of one size: the name, the value and the unit of each. */
export const figuresOf = (
  size: number,
  ...rows: readonly (readonly [string, number, Figure['unit']])[]
): Figure[] => rows.map(([what, value, unit]) => ({ what, size, value, unit }))

/** A goal for the figures of one case. */
export type Goal = {
  /** The beginning of the names of the figures. */
  readonly what: string
  readonly atMost?: number
  readonly atLeast?: number
  /** The maximum of the value divided by that of the smallest size of the run. */
  readonly ratioAtMost?: number
}

/** One row of the growth bench. */
export type GrowthCase = {
  readonly id: string
  readonly title: string
  readonly goals: readonly Goal[]
  run(context: GrowthContext): Promise<Figure[]>
}

/** The values of one name, by size in ascending order. */
function seriesOf(figures: readonly Figure[]): { what: string; series: Figure[] }[] {
  return [...Map.groupBy(figures, ({ what }) => what)].map(([what, values]) => ({
    what,
    series: values.toSorted((one, other) => one.size - other.size),
  }))
}

/** The goals of a series in words, and whether each value reaches them; undefined without a goal. */
function verdictOf(series: readonly Figure[], goals: readonly Goal[]) {
  const [first] = series
  const own = goals.filter(({ what }) => first?.what.startsWith(what))
  if (first === undefined || own.length === 0) return undefined
  const words = { atMost: 'at most', atLeast: 'at least', ratioAtMost: 'ratio at most' } as const
  const names = Object.keys(words) as (keyof typeof words)[]
  const limits = own.flatMap((goal) =>
    names.flatMap((name) => (goal[name] === undefined ? [] : [`${words[name]} ${goal[name]}`])),
  )
  const { POSITIVE_INFINITY: all, NEGATIVE_INFINITY: none } = Number
  const isReached = own.every(({ atMost = all, atLeast = none, ratioAtMost = all }) =>
    series.every(
      ({ value }) => value <= atMost && value >= atLeast && value / first.value <= ratioAtMost,
    ),
  )
  return { goal: limits.join(', '), isReached }
}

const textOf = ({ value, unit }: Figure): string => {
  const [minimumFractionDigits, maximumFractionDigits] = [digits[unit], digits[unit]]
  const text = value.toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits })
  return unit === 'x' ? text : `${text} ${unit}`
}

/** The figures of a case as a Markdown table, with a column for each size. */
export function figureTable(figures: readonly Figure[], goals: readonly Goal[]): string {
  const sizes = [...new Set(figures.map(({ size }) => size))].toSorted((a, b) => a - b)
  const body = seriesOf(figures).map(({ what, series }) => {
    const [first, last] = [series[0], series.at(-1)]
    const verdict = verdictOf(series, goals)
    return [
      what,
      ...sizes.map((size) => {
        const figure = series.find((one) => one.size === size)
        return figure === undefined ? '' : textOf(figure)
      }),
      series.length > 1 && first && last ? (last.value / first.value).toFixed(2) : '',
      verdict?.goal ?? '',
      verdict === undefined ? '' : verdict.isReached ? 'reached' : 'missed',
    ]
  })
  const heads = sizes.map((size) => size.toLocaleString('en-US'))
  return markdownTable(['', ...heads, 'ratio', 'goal', 'result'], body)
}

/** The names of the figures that miss a goal. */
export const missedOf = (figures: readonly Figure[], goals: readonly Goal[]): string[] =>
  seriesOf(figures)
    .filter(({ series }) => verdictOf(series, goals)?.isReached === false)
    .map(({ what }) => what)
