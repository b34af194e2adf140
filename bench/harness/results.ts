import type { RunState } from './interleave.ts'

/** One row of `results/latest.json`. */
export type Result = {
  readonly id: string
  /** The median of the rounds; signatures per second for `openssl speed`. */
  readonly requestsPerSecond: number
  /** The median of the rounds; null where nothing was sent over a connection. */
  readonly p99Ms: number | null
  /** Requests per second divided by those of another row in the same round, by its id: the median. */
  readonly ratioTo: Readonly<Record<string, number>>
  /** Distance of the middle half of the rounds from that median, as a share of it. */
  readonly ratioWithin: Readonly<Record<string, number>>
}

/** One row divided by another, in every round with both. */
export type Comparison = { readonly id: string; readonly to: string; readonly ratios: number[] }

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Maximum distance of the middle half of the values from their median, as a share of it. */
export function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const quarter = (sorted.length - 1) / 4
  const lower = sorted[Math.floor(quarter)] ?? Number.NaN
  const upper = sorted[Math.ceil(3 * quarter)] ?? Number.NaN
  const middle = median(values)
  return Math.max(middle - lower, upper - middle) / middle
}

const counting = (states: readonly RunState[]) => states.filter(({ failures }) => !failures.size)

/** The rows that count, each divided by the counting rows to which it is compared. */
export function comparisonsOf(states: readonly RunState[]): Comparison[] {
  const all = counting(states)
  return all.flatMap(({ row: { id, comparedWith }, samples }) =>
    all
      .filter((other) => comparedWith.includes(other.row.id))
      .map((other) => ({
        id,
        to: other.row.id,
        ratios: [...samples].flatMap(([round, { requestsPerSecond }]) => {
          const reference = other.samples.get(round)
          return reference === undefined ? [] : [requestsPerSecond / reference.requestsPerSecond]
        }),
      })),
  )
}

/** The reason why the results of a run are not kept; `undefined` when they are. */
export function reasonToDiscard(comparisons: readonly Comparison[], rounds: number) {
  if (rounds < 3) return 'a median needs 3 rounds or more'
  const typical = median(comparisons.map(({ ratios }) => spreadOf(ratios)))
  if (typical <= 0.2) return undefined
  const percent = Math.round(typical * 100)
  return `the machine is busy: the rounds of a typical ratio lie ${percent} % from their median`
}

/** The rows that count, in the stored form. */
export function resultsOf(states: readonly RunState[]): Result[] {
  const comparisons = comparisonsOf(states)
  return counting(states).map((state) => {
    const mine = comparisons.filter(({ id }) => id === state.row.id)
    const each = (figure: (ratios: readonly number[]) => number) =>
      Object.fromEntries(mine.map(({ to, ratios }) => [to, rounded(figure(ratios), 3)]))
    const samples = [...state.samples.values()]
    const p99s = samples.map(({ p99Ms }) => p99Ms).filter((p99Ms) => p99Ms !== null)
    return {
      id: state.row.id,
      requestsPerSecond: Math.round(median(samples.map((sample) => sample.requestsPerSecond))),
      p99Ms: p99s.length === 0 ? null : rounded(median(p99s), 2),
      ratioTo: each(median),
      ratioWithin: each(spreadOf),
    }
  })
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
