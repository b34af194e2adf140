import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { endChildren } from '../harness/child-processes.ts'
import * as programs from '../harness/programs.ts'
import { cases as allCases } from './cases/cases.ts'
import { judged } from './figure.ts'
import type { GrowthCase, GrowthContext } from './growth-case.ts'
import { type GrowthOptions, growthUsage, readGrowthOptions } from './growth-options.ts'
import {
  type CaseResult,
  caseText,
  type GrowthResults,
  mergedCases,
  missedLine,
  missedOf,
  withGrowthResults,
} from './growth-report.ts'
import { processorTime, stolenShare } from './stolen-time.ts'
import { Stores } from './stores.ts'

export const growthPage = join(programs.repositoryFolder, 'docs', 'generated', 'growth.md')

/** The results that the page quotes. */
export const growthResultsFile = (store: string): string =>
  join(programs.benchFolder, 'results', `growth-${store}.json`)

export type Output = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Runs the growth bench; returns the exit code of the process. */
export async function runGrowth(argv: readonly string[], { out, err }: Output): Promise<number> {
  const ids = allCases.map(({ id }) => id)
  const { options, problems } = readGrowthOptions(argv, ids)
  if (problems.length > 0) {
    err(`${problems.join('\n')}\n\n${growthUsage}`)
    return 2
  }
  if (options.help) {
    out(growthUsage)
    return 0
  }
  const present = programs.presentPrograms()
  // The generator of the loads without `wrk`.
  if (options.tiny || !present.has('wrk')) programs.installMissingPeers(false, err)
  const machine = programs.describeMachine(present)
  out(`${machine}\n`)
  // Kept after each case, so that a run that is stopped keeps what it measured.
  const keepOne = (result: CaseResult) =>
    options.keep ? keep(options.store, machine, [result]) : undefined
  const output = { out, err }
  const { results, failures } = await measureCases(selectedCases(options), options, output, keepOne)
  for (const failure of failures) err(failure)
  // Tiny sizes show that the cases run. They say nothing about growth.
  const missed = options.tiny ? [] : missedOf(results)
  for (const figure of missed) out(missedLine(figure))
  if (options.keep)
    out(`written: bench/results/growth-${options.store}.json, docs/generated/growth.md`)
  if (failures.length > 0) return 1
  return missed.length > 0 ? 3 : 0
}

/** The cases of a run. */
export const selectedCases = (
  { only, store, tiny }: GrowthOptions,
  from: readonly GrowthCase[] = allCases,
): GrowthCase[] =>
  from.filter(
    ({ id, isOnRequest = false, usesStore }) =>
      (only.some((prefix) => id.startsWith(prefix)) ||
        (only.length === 0 && (tiny || !isOnRequest))) &&
      (usesStore || store === 'sqlite'),
  )

async function measureCases(
  cases: readonly GrowthCase[],
  { store, sizes, seconds, tiny }: GrowthOptions,
  { out, err }: Output,
  onResult: (result: CaseResult) => Promise<void> | undefined,
): Promise<{ results: CaseResult[]; failures: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-growth-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const stores = new Stores(folder, store, err)
  const context = { stores, storeKind: store, sizes, seconds, isTiny: tiny, folder, progress: err }
  const results: CaseResult[] = []
  const failures: string[] = []
  try {
    for (const one of cases) {
      const startedMs = performance.now()
      const result = await measure(one, context).catch((error: Error) => {
        failures.push(`${one.id} failed: ${error.stack}`)
        // The processes of the failed case would load the machine beside the next one.
        endChildren()
      })
      if (result === undefined) continue
      results.push(result)
      await onResult(result)
      err(`${one.id} took ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
      out(`\n${caseText(result)}\n`)
    }
  } finally {
    await stores.stop()
  }
  return { results, failures }
}

async function measure(one: GrowthCase, context: GrowthContext): Promise<CaseResult> {
  const { id, title, goals } = one
  const startedAt = processorTime()
  const { figures, latencies = [] } = await one.run(context)
  const [loadAverage = 0] = loadavg()
  const stolen = stolenShare(startedAt, processorTime())
  const date = new Date().toISOString().slice(0, 10)
  const state = { loadAverage, stolenShare: stolen, date }
  return { id, title, figures: judged(id, figures, goals), latencies, ...state }
}

/** Replaces the results of these cases. The results of the other cases stay. */
async function keep(store: string, machine: string, latest: readonly CaseResult[]): Promise<void> {
  const file = growthResultsFile(store)
  const earlier: GrowthResults = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : { store, machine, cases: [] }
  const ids = allCases.map(({ id }) => id)
  const results = { store, machine, cases: mergedCases(earlier.cases, latest, ids) }
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  const page = await readFile(growthPage, 'utf8')
  await writeFile(growthPage, withGrowthResults(page, results))
}
