import type { Contender, Sample } from './contender.ts'

/** One row of `results/latest.json`. */
export type Result = {
  readonly id: string
  /** The median of the rounds; signatures a second for `openssl speed`. */
  readonly requestsPerSecond: number
  /** The median of the rounds; null where nothing was asked over a connection. */
  readonly p99Ms: number | null
  /** Requests a second in proportion to other rows of the run, by their id. */
  readonly ratioTo: Readonly<Record<string, number>>
}

/** What the rounds of one contender came to. */
export type Outcome = {
  readonly contender: Contender
  readonly requestsPerSecond: number
  readonly p99Ms: number | null
  readonly busy: number | null
  readonly microseconds: number | null
  /** Half the distance from the slowest to the fastest round, in proportion to the median. */
  readonly spread: number
  readonly faults: readonly string[]
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const medianOfKnown = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}

/** Judges the samples of one contender: one faulty round is enough for the row not to count. */
export function outcomeOf(contender: Contender, samples: readonly Sample[]): Outcome {
  const rates = samples.map(({ requestsPerSecond }) => requestsPerSecond)
  const requestsPerSecond = median(rates)
  return {
    contender,
    requestsPerSecond,
    p99Ms: medianOfKnown(samples.map(({ p99Ms }) => p99Ms)),
    busy: medianOfKnown(samples.map(({ busy }) => busy)),
    microseconds: medianOfKnown(samples.map(({ microseconds }) => microseconds)),
    spread: (Math.max(...rates) - Math.min(...rates)) / 2 / requestsPerSecond,
    faults: [...new Set(samples.flatMap(({ faults }) => faults))],
  }
}

/** How far the rounds of a typical row may lie from their median, and how many there must be. */
const believable = { spread: 0.1, rounds: 3 } as const

/** Why the figures of a run are not worth keeping; undefined when they are. */
export function reasonToDoubt(outcomes: readonly Outcome[], rounds: number): string | undefined {
  if (rounds < believable.rounds) return `a median needs ${believable.rounds} rounds or more`
  const typical = median(outcomes.map(({ spread }) => spread))
  if (typical <= believable.spread) return undefined
  const percent = Math.round(typical * 100)
  return `the machine is busy: the rounds of a typical row lie ${percent} % from their median`
}

/** The rows that count, each with its proportion to the others that it names. */
export function resultsOf(outcomes: readonly Outcome[]): Result[] {
  const counting = outcomes.filter(({ faults }) => faults.length === 0)
  const rates = new Map(
    counting.map(({ contender, requestsPerSecond }) => [contender.id, requestsPerSecond]),
  )
  return counting.map(({ contender, requestsPerSecond, p99Ms }) => ({
    id: contender.id,
    requestsPerSecond: Math.round(requestsPerSecond),
    p99Ms: p99Ms === null ? null : rounded(p99Ms, 2),
    ratioTo: Object.fromEntries(
      contender.comparedWith.flatMap((id) => {
        const rate = rates.get(id)
        return rate === undefined ? [] : [[id, rounded(requestsPerSecond / rate, 3)]]
      }),
    ),
  }))
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
