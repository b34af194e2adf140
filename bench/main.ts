import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender, Pace } from './harness/contender.ts'
import { contenders } from './harness/contenders.ts'
import { measureInHeats } from './harness/heats.ts'
import { withLaboratory } from './harness/laboratory.ts'
import { autocannon, wrk } from './harness/load-generator.ts'
import { describeMachine } from './harness/machine.ts'
import { judgeOptions, type Options, usage } from './harness/options.ts'
import { performancePage, withResults } from './harness/performance-page.ts'
import * as programs from './harness/programs.ts'
import {
  faultLines,
  goalTable,
  noiseTable,
  proportionTable,
  resultTables,
} from './harness/report.ts'
import { proportionsOf, reasonToDoubt, resultsOf } from './harness/result.ts'

/** A compiler warms up by requests, and some rows answer few in a second. */
const aloneSeconds = 3

/**
 * Turns are short beside what disturbs a machine, and long beside what it costs to begin one. A rest has
 * room for a request on every connection of a row that answers 800 a second.
 */
const turns = { turnMs: 100, restMs: 80 } as const

// What was started ends with this process, and only at its own exit.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

const judged = judgeOptions(
  process.argv.slice(2),
  contenders.map(({ id }) => id),
)
if ('faults' in judged) {
  console.error(`${judged.faults.join('\n')}\n\n${usage}`)
  process.exitCode = 2
} else if (judged.options.help) {
  console.log(usage)
} else {
  process.exitCode = (await run(judged.options)) ? 0 : 1
}

/** One run, printed; whether every row that was measured counts. */
async function run({ only, starts, seconds, rounds, tiny }: Options): Promise<boolean> {
  if (!programs.peersInstalled(!tiny)) {
    console.error('installing what bench/package-lock.json names')
    programs.installPeers(!tiny)
  }
  const present = programs.presentPrograms()
  const { taking, leaving } = select(only, tiny, present)
  for (const line of leaving) console.error(line)

  const pace: Pace = tiny
    ? { starts: 1, aloneSeconds: 0.1, turns: 2, turnMs: 250, restMs: 50, rounds: 1, connections: 4 }
    : {
        ...turns,
        starts,
        aloneSeconds,
        turns: (seconds * 1000) / turns.turnMs,
        rounds,
        connections: 64,
      }
  const generator = present.has('wrk') && !tiny ? wrk : autocannon
  const pinning = present.has('taskset')
  const outcomes = await withLaboratory(taking, pace, { generator, pinning }, (lab) =>
    measureInHeats(taking, lab, pace, (step) => console.error(step)),
  )

  const results = resultsOf(outcomes)
  const proportions = proportionsOf(outcomes)
  const machine = describeMachine(present)
  console.log(`\n${machine}\n\n${resultTables(contenders, results)}\n\n${noiseTable(outcomes)}\n`)
  if (!tiny) console.log(`${proportionTable(proportions)}\n\n${goalTable(contenders, results)}\n`)
  for (const line of faultLines(outcomes)) console.error(line)

  const doubt = reasonToDoubt(proportions, pace.starts * pace.rounds)
  if (only.length > 0 || tiny) {
    console.log('not kept: only a whole run is')
  } else if (doubt !== undefined) {
    console.log(`not kept: ${doubt}`)
  } else {
    const latest = join(programs.benchFolder, 'results', 'latest.json')
    await writeFile(latest, `${JSON.stringify(results, null, 2)}\n`)
    const page = await readFile(performancePage, 'utf8')
    await writeFile(performancePage, withResults(page, machine, contenders, results))
    console.log('written: bench/results/latest.json, docs/evidence/performance.md')
  }
  return outcomes.every(({ faults }) => faults.length === 0)
}

/** The contenders of this run, and a word about everything that is missing. */
function select(
  only: readonly string[],
  tiny: boolean,
  present: ReadonlyMap<programs.Program, string>,
): { taking: Contender[]; leaving: string[] } {
  const wanted = contenders.filter(
    ({ id, needs, slowToStart = false }) =>
      (only.length === 0 || only.some((start) => id.startsWith(start))) &&
      !(tiny && (slowToStart || needs.length > 0)),
  )
  const lacking = ({ needs }: Contender) => needs.filter((program) => !present.has(program))
  const leaving = wanted.flatMap((contender) =>
    lacking(contender).map(
      (program) =>
        `${contender.id} is left out: ${program} is missing (${programs.howToGet(program)})`,
    ),
  )
  if (!tiny && !present.has('wrk')) {
    leaving.push(
      `wrk is missing (${programs.howToGet('wrk')}): autocannon makes the load, and bounds the fastest rows`,
    )
  }
  if (!present.has('taskset')) {
    leaving.push('taskset is missing: servers and load share all cores, and ratios are rough')
  }
  return { taking: wanted.filter((contender) => lacking(contender).length === 0), leaving }
}
