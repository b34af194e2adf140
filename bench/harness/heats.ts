import type { Contender, Lab, Pace } from './contender.ts'
import { type Outcome, outcomeOf } from './result.ts'
import { finding, prove, type Row, start } from './row.ts'
import { inTurns, shuffled } from './turns.ts'

/** How often a row is loaded by itself: once for its compiler, and once more to find its p99. */
export const loadsAlone = 2

/** Who takes turns with whom: the rows of one heat, and those that they are set in proportion to. */
export type Heat = { readonly name: string; readonly contenders: readonly Contender[] }

/** The heats of these contenders, in the order in which they name them. */
export function heatsOf(contenders: readonly Contender[]): Heat[] {
  return [...Map.groupBy(contenders, ({ heat }) => heat)].map(([name, its]) => {
    const named = new Set(its.flatMap(({ comparedWith }) => comparedWith))
    return {
      name,
      contenders: contenders.filter(({ heat, id }) => heat === name || named.has(id)),
    }
  })
}

/**
 * Measures the contenders heat by heat, and all heats as often as servers are to be started anew.
 *
 * @param progress is told what comes next
 */
export async function measureInHeats(
  contenders: readonly Contender[],
  lab: Lab,
  pace: Pace,
  progress: (step: string) => void,
): Promise<Outcome[]> {
  const all: readonly Row[] = contenders.map((contender) => ({ contender, ...finding() }))
  const heats = heatsOf(contenders)
  for (let nth = 1; nth <= pace.starts; nth++) {
    for (const heat of heats) {
      const name = `${heat.name}, start ${nth} of ${pace.starts}`
      // What is found adds up; what is up is another process each time.
      const rows = all
        .filter(({ contender }) => heat.contenders.includes(contender))
        .map((row) => ({ ...row }))
      await measureHeat(rows, lab, pace, { name, progress })
    }
  }
  return all.map((row) => outcomeOf(row.contender, row))
}

/**
 * Starts every row, loads each by itself, and then all of them in rounds. Nobody else is up, and servers that
 * do not have their turn idle.
 */
async function measureHeat(
  rows: readonly Row[],
  lab: Lab,
  pace: Pace,
  { name, progress }: { name: string; progress: (step: string) => void },
): Promise<void> {
  const alone = { ...pace, turns: 1, turnMs: pace.aloneSeconds * 1000, restMs: 0 }
  try {
    for (const row of shuffled(rows)) {
      progress(`${name}: starting ${row.contender.id}`)
      await start(row, lab)
      await prove(row)
      for (let nth = 0; nth < loadsAlone; nth++) {
        const sample = (await inTurns([row], nth, alone)).get(row)
        if (nth === loadsAlone - 1) row.p99s.push(sample?.p99Ms ?? null)
      }
    }
    for (let round = 0; round < pace.rounds; round++) {
      const step = `${name}: round ${round + 1} of ${pace.rounds}`
      progress(step)
      const samples = await inTurns(rows, loadsAlone + round, pace)
      for (const [row, sample] of samples) row.samples.set(step, sample)
    }
    for (const row of rows) await prove(row)
  } finally {
    // One that cannot be stopped leaves no other up.
    await Promise.allSettled(rows.map(({ running }) => running?.stop()))
  }
}
