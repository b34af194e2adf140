import type { Contender, Lab, Pace, Running, Sample } from './contender.ts'
import { type Outcome, outcomeOf } from './result.ts'

/** A contender, what became of it when it was started, and what its loads came to. */
type Row = {
  readonly contender: Contender
  readonly running: Running | undefined
  readonly samples: Sample[]
  readonly faults: string[]
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
  const heats = Map.groupBy(contenders, heatOf)
  for (const [name, heat] of heats) {
    outcomes.push(...(await measureHeat(heat, lab, pace, (step) => progress(`${name}: ${step}`))))
  }
  return outcomes.toSorted(
    (a, b) => contenders.indexOf(a.contender) - contenders.indexOf(b.contender),
  )
}

/** Which contenders are measured together: they answer the same requests. */
export const heatOf = ({ group, tokens }: Contender): string =>
  tokens === 'every one new' ? `${group}, every token new` : group

/**
 * Starts every contender, warms each up, and then measures all of them once in each round, so that a
 * noisy second falls on neighbours: the rates of one round are set in proportion to each other. The
 * order turns round each time, so that none is always first. Servers that are not measured idle.
 */
async function measureHeat(
  contenders: readonly Contender[],
  lab: Lab,
  pace: Pace,
  progress: (step: string) => void,
): Promise<Outcome[]> {
  const rows: Row[] = []
  try {
    for (const contender of contenders) {
      progress(`starting ${contender.id}`)
      const row = await started(contender, lab)
      rows.push(row)
      await proved(row)
      for (let turn = 0; turn < pace.warmUps; turn++) await loaded(row, turn, pace)
      // Only what was measured counts, but a fault does at any time.
      row.samples.length = 0
    }
    for (let round = 0; round < pace.rounds; round++) {
      progress(`round ${round + 1} of ${pace.rounds}`)
      for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
        await loaded(row, pace.warmUps + round, pace)
      }
    }
    for (const row of rows) await proved(row)
  } finally {
    // One that cannot be stopped leaves no other up.
    await Promise.allSettled(rows.map(({ running }) => running?.stop()))
  }
  return rows.map(({ contender, samples, faults }) => outcomeOf(contender, samples, faults))
}

/** A contender that fails to start, or breaks, loses its row and nobody else's. */
async function started(contender: Contender, lab: Lab): Promise<Row> {
  try {
    return { contender, running: await contender.start(lab), samples: [], faults: [] }
  } catch (error) {
    return { contender, running: undefined, samples: [], faults: [messageOf(error)] }
  }
}

async function proved({ running, faults }: Row): Promise<void> {
  try {
    faults.push(...((await running?.prove()) ?? []))
  } catch (error) {
    faults.push(messageOf(error))
  }
}

async function loaded({ running, samples, faults }: Row, turn: number, pace: Pace): Promise<void> {
  // What is known to be faulty is not worth the time.
  if (running === undefined || faults.length > 0) return
  try {
    const sample = await running.load(turn, pace)
    samples.push(sample)
    faults.push(...sample.faults)
  } catch (error) {
    faults.push(messageOf(error))
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)
