import { setTimeout as wait } from 'node:timers/promises'
import type { Contender, HeldLoad, Lab, Pace, Running, Sample } from './contender.ts'
import { type Finding, type Outcome, outcomeOf } from './result.ts'

/** A contender, what became of it when it was started, and what its loads came to. */
type Row = Finding & {
  readonly contender: Contender
  readonly running: Running | undefined
}

/**
 * Measures the contenders in heats: those that are asked the same way are up together, and nobody else.
 *
 * @param progress is told what comes next
 */
export async function measureInHeats(
  contenders: readonly Contender[],
  lab: Lab,
  pace: Pace,
  progress: (step: string) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, heat] of Map.groupBy(contenders, heatOf)) {
    outcomes.push(...(await measureHeat(heat, lab, pace, (step) => progress(`${name}: ${step}`))))
  }
  return outcomes.toSorted(
    (a, b) => contenders.indexOf(a.contender) - contenders.indexOf(b.contender),
  )
}

/** Which contenders are measured together: they answer the same requests. */
export const heatOf = ({ group, tokens }: Contender): string =>
  tokens === 'every one new' ? `${group}, every token new` : group

/** How often a row is loaded by itself: once for its compiler, and once more to find its p99. */
export const loadsAlone = 2

/**
 * Starts every contender, loads each by itself, and then all of them in rounds. Servers that do not have
 * their turn idle.
 */
async function measureHeat(
  contenders: readonly Contender[],
  lab: Lab,
  pace: Pace,
  progress: (step: string) => void,
): Promise<Outcome[]> {
  const rows: Row[] = []
  const alone = { ...pace, turns: 1, turnMs: pace.aloneSeconds * 1000, restMs: 0 }
  try {
    for (const contender of contenders) {
      progress(`starting ${contender.id}`)
      const row = await started(contender, lab)
      rows.push(row)
      await proved(row)
      for (let nth = 0; nth < loadsAlone; nth++) {
        row.p99Ms = (await inTurns([row], nth, alone)).get(row)?.p99Ms ?? null
      }
    }
    for (let round = 0; round < pace.rounds; round++) {
      progress(`round ${round + 1} of ${pace.rounds}`)
      const samples = await inTurns(rows, loadsAlone + round, pace)
      for (const [row, sample] of samples) row.samples.push(sample)
    }
    for (const row of rows) await proved(row)
  } finally {
    // One that cannot be stopped leaves no other up.
    await Promise.allSettled(rows.map(({ running }) => running?.stop()))
  }
  return rows.map((row) => outcomeOf(row.contender, row))
}

/** In another order each time, so that nobody always comes after the same one. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

/**
 * Loads rows in turns, so short that what disturbs the machine disturbs all of them alike: one row at a
 * time, while the loads of the others are held.
 */
async function inTurns(
  rows: readonly Row[],
  nth: number,
  pace: Pace,
): Promise<ReadonlyMap<Row, Sample>> {
  const loads = new Map<Row, HeldLoad>()
  for (const row of rows) {
    // What is known to be faulty is not worth the time.
    if (row.running === undefined || row.faults.length > 0) continue
    const load = await orFault(row, row.running.load(nth, pace))
    if (load !== undefined) loads.set(row, load)
  }
  for (let turn = 0; turn < pace.turns; turn++) {
    for (const load of shuffled([...loads.values()])) {
      load.go()
      await wait(pace.turnMs)
      load.hold()
      await wait(pace.restMs)
    }
  }
  const samples = new Map<Row, Sample>()
  for (const [row, load] of loads) {
    const sample = await orFault(row, load.end())
    if (sample === undefined) continue
    samples.set(row, sample)
    row.faults.push(...sample.faults)
  }
  return samples
}

/** A contender that fails to start, or breaks, loses its row and nobody else's. */
async function started(contender: Contender, lab: Lab): Promise<Row> {
  const row = { contender, p99Ms: null, samples: [], faults: [] }
  return { ...row, running: await orFault(row, contender.start(lab)) }
}

async function proved(row: Row): Promise<void> {
  if (row.running === undefined) return
  row.faults.push(...((await orFault(row, row.running.prove())) ?? []))
}

async function orFault<Result>(
  { faults }: { readonly faults: string[] },
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    faults.push(error instanceof Error ? error.message : `${error}`)
    return undefined
  }
}
