import type { Contender, Sample } from './contender.ts'

/** One row of `results/latest.json`. */
export type Result = {
  readonly id: string
  /** The median of the rounds; signatures a second for `openssl speed`. */
  readonly requestsPerSecond: number
  /** Of a load by itself, before the rounds; null where nothing was asked over a connection. */
  readonly p99Ms: number | null
  /** Requests a second in proportion to other rows of the same round, by their id: the median. */
  readonly ratioTo: Readonly<Record<string, number>>
  /** How far the middle half of the rounds lies from that median, in proportion to it. */
  readonly ratioWithin: Readonly<Record<string, number>>
}

/** What was found of one contender. */
export type Finding = {
  /** Of the last load without pauses that it had by itself, one for each start. */
  readonly p99s: (number | null)[]
  /** Of its turns, one for each round, by the name of the round. */
  readonly samples: Map<string, Sample>
  readonly faults: string[]
}

/** What the rounds of one contender came to. */
export type Outcome = {
  readonly contender: Contender
  /** Requests a second in each round, by its name. */
  readonly rates: ReadonlyMap<string, number>
  readonly requestsPerSecond: number
  readonly p99Ms: number | null
  readonly busy: number | null
  readonly microseconds: number | null
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

/** How far the middle half of the values lies from their median, at most, in proportion to it. */
export function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const quarter = (sorted.length - 1) / 4
  const lower = sorted[Math.floor(quarter)] ?? Number.NaN
  const upper = sorted[Math.ceil(3 * quarter)] ?? Number.NaN
  const middle = median(values)
  return Math.max(middle - lower, upper - middle) / middle
}

/** Adds up what was found of one contender. One fault is enough for its row not to count. */
export function outcomeOf(contender: Contender, { p99s, samples, faults }: Finding): Outcome {
  const all = [...samples.values()]
  return {
    contender,
    rates: new Map([...samples].map(([round, sample]) => [round, sample.requestsPerSecond])),
    requestsPerSecond: median(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    p99Ms: medianOfKnown(p99s),
    busy: medianOfKnown(all.map(({ busy }) => busy)),
    microseconds: medianOfKnown(all.map(({ microseconds }) => microseconds)),
    faults: [...new Set(faults)],
  }
}

/** One row in proportion to another, in every round that both took part in. */
export type Proportion = { readonly id: string; readonly to: string; readonly ratios: number[] }

/** The rows that count, each in proportion to the others that it names and that count. */
export function proportionsOf(outcomes: readonly Outcome[]): Proportion[] {
  const rows = counting(outcomes)
  return rows.flatMap(({ contender: { id, comparedWith }, rates }) =>
    rows
      .filter((other) => comparedWith.includes(other.contender.id))
      .map((other) => ({
        id,
        to: other.contender.id,
        ratios: ratiosOf(rates, other.rates),
      })),
  )
}

const ratiosOf = (rates: Outcome['rates'], others: Outcome['rates']): number[] =>
  [...rates].flatMap(([round, rate]) => {
    const other = others.get(round)
    return other === undefined ? [] : [rate / other]
  })

const counting = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ faults }) => faults.length === 0)

/** How far the rounds of a typical proportion may lie from their median, and how many there must be. */
const believable = { spread: 0.2, rounds: 3 } as const

/** Why the figures of a run are not worth keeping; undefined when they are. */
export function reasonToDoubt(
  proportions: readonly Proportion[],
  rounds: number,
): string | undefined {
  if (rounds < believable.rounds) return `a median needs ${believable.rounds} rounds or more`
  const typical = median(proportions.map(({ ratios }) => spreadOf(ratios)))
  if (typical <= believable.spread) return undefined
  const percent = Math.round(typical * 100)
  return `the machine is busy: the rounds of a typical proportion lie ${percent} % from their median`
}

/** The rows that count, each with its proportion to the others that it names. */
export function resultsOf(outcomes: readonly Outcome[]): Result[] {
  const proportions = proportionsOf(outcomes)
  return counting(outcomes).map(({ contender, requestsPerSecond, p99Ms }) => {
    const mine = proportions.filter(({ id }) => id === contender.id)
    const each = (figure: (ratios: readonly number[]) => number) =>
      Object.fromEntries(mine.map(({ to, ratios }) => [to, rounded(figure(ratios), 3)]))
    return {
      id: contender.id,
      requestsPerSecond: Math.round(requestsPerSecond),
      p99Ms: p99Ms === null ? null : rounded(p99Ms, 2),
      ratioTo: each(median),
      ratioWithin: each(spreadOf),
    }
  })
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
