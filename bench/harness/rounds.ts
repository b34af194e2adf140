import type { Contender, Lab, Pace, Sample } from './contender.ts'
import { type Outcome, outcomeOf } from './result.ts'

/**
 * Measures every contender once in each round, so that a noisy minute falls on all of them, and
 * turns the order round each time, so that none is always first.
 *
 * @param progress is told before each measurement
 */
export async function measureInRounds(
  contenders: readonly Contender[],
  rounds: number,
  lab: Lab,
  pace: Pace,
  progress: (contender: Contender, round: number) => void,
): Promise<Outcome[]> {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]))
  for (let round = 1; round <= rounds; round++) {
    const order = round % 2 === 1 ? contenders : contenders.toReversed()
    for (const contender of order) {
      progress(contender, round)
      samples.get(contender)?.push(await sampleOf(contender, lab, pace))
    }
  }
  return contenders.map((contender) => outcomeOf(contender, samples.get(contender) ?? []))
}

/** A contender that fails to start, or breaks, loses its row and nobody else's. */
async function sampleOf(contender: Contender, lab: Lab, pace: Pace): Promise<Sample> {
  try {
    return await contender.measure(lab, pace)
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    return { requestsPerSecond: 0, p99Ms: null, busy: null, microseconds: null, faults: [fault] }
  }
}
