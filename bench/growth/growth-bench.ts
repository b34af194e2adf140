import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endChildren } from '../../deploy/running/process.ts'
import { keepOnPage } from '../figures.ts'
import { describeRun, stayOnLoadCore } from '../machine.ts'
import type { Options } from '../options.ts'
import { issuing, rolesOfClient } from './cases/issuing.ts'
import { requests, writers } from './cases/requests.ts'
import { start, tenants } from './cases/starts.ts'
import { tokens } from './cases/tokens.ts'
import { type Figure, figureTable, type GrowthCase, missedOf } from './growth-case.ts'
import { Stores } from './stores.ts'

/** All cases, in the order in which they run. */
export const cases: readonly GrowthCase[] = [
  start,
  tokens,
  requests,
  tenants,
  issuing,
  rolesOfClient,
  writers,
]

/** Compares Greeting with itself at several sizes; returns the exit code of the process. */
export async function compareSizes(
  cases: readonly GrowthCase[],
  { store, keep, ...options }: Options,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-growth-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  stayOnLoadCore()
  const stores = new Stores(folder, store)
  const failures: string[] = []
  const missed: string[] = []
  for (const { id, title, goals, run } of cases) {
    console.error(`${id}: ${title}`)
    let figures: Figure[]
    try {
      figures = await run({ ...options, stores })
    } catch (error) {
      failures.push(`${id} failed: ${(error as Error).stack}`)
      // The processes of the failed case would load the machine during the next one.
      endChildren()
      continue
    }
    const head = `**${id}, ${store}**: ${title}. ${describeRun()}.`
    const text = `${head}\n\n${figureTable(figures, goals)}`
    console.log(`\n${text}\n`)
    // Tiny sizes show that the cases run. They say nothing about growth.
    if (!options.tiny) missed.push(...missedOf(figures, goals).map((what) => `${id}: ${what}`))
    // Written after each case, so that a run that is stopped keeps what it measured.
    if (keep) keepOnPage('growth.md', `growth ${id}, ${store}`, text)
  }
  await stores.stop()
  for (const failure of failures) console.error(failure)
  for (const one of missed) console.log(`missed: ${one}`)
  if (failures.length > 0) return 1
  return missed.length > 0 ? 3 : 0
}
