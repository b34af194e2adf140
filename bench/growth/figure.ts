/** The units of a figure. A count has none. */
export type Unit = 'us' | 'ms' | 's' | 'kB' | 'MB' | '/s' | '%' | 'x' | 'count'

/** One measured value. */
export type Figure = {
  /** The name of the value, equal at all sizes. */
  readonly what: string
  /** The size at which it was measured: applications, clients or records, as the case says. */
  readonly size: number
  readonly value: number
  readonly unit: Unit
}

/** A goal for the figures of one case. */
export type Goal = {
  /** The name of the figures; a trailing `*` stands for any rest. */
  readonly what: string
  /** The size for which the goal is set; every size by default. */
  readonly size?: number
  readonly atMost?: number
  readonly atLeast?: number
  /** The maximum of the value divided by that of the smallest size of the run. */
  readonly ratioAtMost?: number
  /** The minimum of the same. */
  readonly ratioAtLeast?: number
}

/** A figure of a case, compared with its goals. */
export type JudgedFigure = Figure & {
  /** The case. */
  readonly id: string
  /** The value divided by that of the smallest size of the run; null at the smallest size. */
  readonly ratio: number | null
  /** The goals in words; empty without one. */
  readonly goal: string
  /** Null without a goal that applies. */
  readonly isReached: boolean | null
}

const concerns = ({ what, size }: Goal, figure: Figure): boolean =>
  (size === undefined || size === figure.size) &&
  (what.endsWith('*') ? figure.what.startsWith(what.slice(0, -1)) : what === figure.what)

/** Compares the figures of one case with its goals. */
export function judged(
  id: string,
  figures: readonly Figure[],
  goals: readonly Goal[],
): JudgedFigure[] {
  return figures.map((figure) => {
    const series = figures.filter(({ what }) => what === figure.what)
    const smallest = series.reduce((least, other) => (other.size < least.size ? other : least))
    const ratio =
      smallest.size === figure.size || smallest.value === 0 ? null : figure.value / smallest.value
    const verdicts = goals
      .filter((goal) => concerns(goal, figure))
      .flatMap(({ atMost, atLeast, ratioAtMost, ratioAtLeast }) => [
        ...(atMost === undefined
          ? []
          : [{ words: `at most ${atMost}`, isReached: figure.value <= atMost }]),
        ...(atLeast === undefined
          ? []
          : [{ words: `at least ${atLeast}`, isReached: figure.value >= atLeast }]),
        ...(ratioAtMost === undefined || ratio === null
          ? []
          : [{ words: `ratio at most ${ratioAtMost}`, isReached: ratio <= ratioAtMost }]),
        ...(ratioAtLeast === undefined || ratio === null
          ? []
          : [{ words: `ratio at least ${ratioAtLeast}`, isReached: ratio >= ratioAtLeast }]),
      ])
    return {
      ...figure,
      ...{ id, ratio },
      goal: verdicts.map(({ words }) => words).join(', '),
      isReached: verdicts.length === 0 ? null : verdicts.every(({ isReached }) => isReached),
    }
  })
}
