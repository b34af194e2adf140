import { setTimeout as wait } from 'node:timers/promises'
import type { HeldLoad, Pace, Sample } from './contender.ts'
import { orFault, type Row, worthwhile } from './row.ts'

/** In another order each time, so that nobody always comes after the same one. */
export const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

/**
 * Loads rows in turns, so short that what disturbs the machine disturbs all of them alike: one row at a
 * time, while the loads of the others are held.
 *
 * @param nth how often they were loaded before in their life
 */
export async function inTurns(
  rows: readonly Row[],
  nth: number,
  pace: Pace,
): Promise<ReadonlyMap<Row, Sample>> {
  const loads = new Map<Row, HeldLoad>()
  for (const row of rows.filter(worthwhile)) {
    if (row.running === undefined) continue
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
