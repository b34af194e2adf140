import { median, spreadOf } from '../figures.ts'
import type { Cost, CpuLoad } from '../load.ts'
import type { Contestant, Kind, Setup, Started } from './contestants.ts'

export type Pace = {
  readonly starts: number
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** The results of one program. */
export type Result = {
  readonly contestant: Contestant
  /** The cost of one request, by its kind and by the round. */
  readonly costs: Map<Kind, Map<string, Cost>>
  /** After one failure the program does not count, and no more time is spent on it. */
  readonly failures: Set<string>
}

/** The median of all rounds; undefined without one. */
export function medianOf(
  { costs }: Result,
  kind: Kind,
  figure: keyof Cost = 'us',
): number | undefined {
  const rounds = [...(costs.get(kind)?.values() ?? [])].map((cost) => cost[figure])
  return rounds.length === 0 ? undefined : median(rounds)
}

/** One side of a comparison: a program and a kind of request. */
export type Side = { readonly id: string; readonly kind: Kind }

/**
 * The CPU time of the other side divided by the CPU time of this side: 2 means that this side needs half as much.
 *
 * @returns the median over the rounds that have both, and its spread; undefined without a round
 */
export function ratioOf(results: readonly Result[], one: Side, to: Side) {
  const roundsOf = ({ id, kind }: Side) =>
    results.find(({ contestant }) => contestant.id === id)?.costs.get(kind) ??
    new Map<string, Cost>()
  const others = roundsOf(to)
  const ratios = [...roundsOf(one)].flatMap(([round, { us }]) => {
    const other = others.get(round)
    return other === undefined ? [] : [other.us / us]
  })
  return ratios.length === 0 ? undefined : { ratio: median(ratios), within: spreadOf(ratios) }
}

/** In random order, so that no program always follows the same other one. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

/** Measures the programs group by group, and restarts all of them each time the pace starts again. */
export async function compare(
  contestants: readonly Contestant[],
  setup: Setup,
  pace: Pace,
): Promise<readonly Result[]> {
  const results = contestants.map(
    (contestant): Result => ({ contestant, costs: new Map(), failures: new Set() }),
  )
  for (let start = 1; start <= pace.starts; start += 1)
    for (const [name, group] of Map.groupBy(results, ({ contestant }) => contestant.group)) {
      const references = results.filter(
        ({ contestant: { isReference, table, group: home } }) =>
          isReference && home !== name && group.some((one) => one.contestant.table === table),
      )
      await measureGroup(`${name}, start ${start}`, [...group, ...references], setup, pace)
    }
  return results
}

type Turn = { readonly result: Result; readonly kind: Kind; readonly load: CpuLoad }

const isFaultless = ({ failures }: Result): boolean => failures.size === 0

/** 1. Starts and proves the programs. 2. Warms them up. 3. Loads them in turns. 4. Proves and stops them. */
async function measureGroup(
  name: string,
  results: readonly Result[],
  setup: Setup,
  { rounds, seconds, warmUpSeconds }: Pace,
): Promise<void> {
  const running: { readonly result: Result; readonly started: Started }[] = []
  const prove = async ({ result, started }: (typeof running)[number]) => {
    for (const failure of (await orFailure(result, started.prove)) ?? [])
      result.failures.add(failure)
  }
  try {
    for (const result of shuffled(results.filter(isFaultless))) {
      console.error(`${name}: starting ${result.contestant.id}`)
      const started = await orFailure(result, () => result.contestant.start(setup))
      if (started === undefined) continue
      running.push({ result, started })
      await prove({ result, started })
    }
    const turns = running.flatMap(({ result, started }) =>
      [...started.loads].map(([kind, load]): Turn => ({ result, kind, load })),
    )
    // The first load finds the speed of the program, the second one compiles its code.
    for (const { result, load } of turns)
      for (const length of [0, warmUpSeconds])
        if (isFaultless(result)) await orFailure(result, () => load(length))
    for (let round = 1; round <= rounds; round += 1) {
      const step = `${name}, round ${round}`
      console.error(step)
      for (const { result, kind, load } of shuffled(turns)) {
        if (!isFaultless(result)) continue
        const cost = await orFailure(result, () => load(seconds))
        if (cost === undefined) continue
        result.costs.set(kind, (result.costs.get(kind) ?? new Map()).set(step, cost))
      }
    }
    for (const one of running) await prove(one)
  } finally {
    // A server that cannot be stopped must not prevent the stop of the others.
    await Promise.allSettled(running.map(({ started }) => started.stop()))
  }
}

/** Awaits work for a program. A rejection becomes a failure of this program and of no other. */
async function orFailure<Value>(
  { failures }: Result,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await work()
  } catch (error) {
    failures.add(error instanceof Error ? error.message : `${error}`)
    return undefined
  }
}
