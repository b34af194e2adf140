import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGrowth } from './growth/run-growth.ts'
import { leastRequests, measureRows, type Pace } from './harness/interleave.ts'
import { autocannon, wrk } from './harness/load.ts'
import { type Options, readOptions, usage } from './harness/options.ts'
import * as programs from './harness/programs.ts'
import * as report from './harness/report.ts'
import { comparisonsOf, reasonToDiscard, resultsOf } from './harness/results.ts'
import type { Row } from './harness/row.ts'
import { createSetup } from './harness/setup.ts'
import { rows } from './rows/rows.ts'

const tinyPace = { starts: 1, rounds: 1, secondsPerTurn: 1, warmUpSeconds: 0, connections: 4 }

// Child processes end when this process exits, and a signal alone would not run the exit handlers.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

const argv = process.argv.slice(2)
const { options, problems } = readOptions(
  argv,
  rows.map(({ id }) => id),
)
if (argv[0] === 'growth') {
  // A failed case may leave a listener open, which would keep the process alive.
  process.exit(await runGrowth(argv.slice(1), { out: console.log, err: console.error }))
} else if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n\n${usage}`)
  process.exitCode = 2
} else if (options.help) {
  console.log(usage)
} else {
  process.exitCode = (await run(options)) ? 0 : 1
}

/** Makes one run and prints it; returns whether every measured row counts. */
async function run({ only, starts, seconds, rounds, tiny }: Options): Promise<boolean> {
  programs.installMissingPeers(!tiny, console.error)
  const present = programs.presentPrograms()
  const { selected, notes } = select(only, tiny, present)
  for (const note of notes) console.error(note)

  const pace: Pace = tiny
    ? tinyPace
    : { starts, rounds, secondsPerTurn: seconds, warmUpSeconds: 2, connections: 64 }
  const needsNewTokens = selected.some(({ tokens }) => tokens === 'unique')
  const generator = present.has('wrk') && !tiny ? wrk : autocannon
  const setup = await createSetup(generator, present.has('taskset'), {
    count: needsNewTokens ? 1 + pace.rounds : 0,
    seconds: Math.max(pace.secondsPerTurn, pace.warmUpSeconds),
    leastRequests: leastRequests(pace),
  })
  const states = await measureRows(selected, {
    setup,
    pace,
    progress: (step) => console.error(step),
  }).finally(setup.stop)

  const results = resultsOf(states)
  const machine = programs.describeMachine(present)
  console.log(`\n${machine}\n\n${report.resultTables(rows, results)}\n`)
  if (!tiny) console.log(`${report.goalTable(rows, results)}\n`)
  for (const line of report.failureLines(states)) console.error(line)

  const discarded =
    only.length > 0 || tiny
      ? 'only a whole run is kept'
      : reasonToDiscard(comparisonsOf(states), pace.starts * pace.rounds)
  if (discarded !== undefined) {
    console.log(`not kept: ${discarded}`)
  } else {
    const latest = join(programs.benchFolder, 'results', 'latest.json')
    await writeFile(latest, `${JSON.stringify(results, null, 2)}\n`)
    const page = await readFile(report.performancePage, 'utf8')
    await writeFile(report.performancePage, report.withResults(page, machine, rows, results))
    console.log('written: bench/results/latest.json, docs/generated/performance.md')
  }
  return states.every(({ failures }) => failures.size === 0)
}

/** The rows of this run, and a note for each missing program. */
function select(
  only: readonly string[],
  tiny: boolean,
  present: ReadonlyMap<programs.Program, string>,
): { selected: Row[]; notes: string[] } {
  const wanted = rows.filter(
    ({ id, needs, slowToStart = false }) =>
      (only.length === 0 || only.some((prefix) => id.startsWith(prefix))) &&
      !(tiny && (slowToStart || needs.length > 0)),
  )
  const missing = ({ needs }: Row) => needs.filter((program) => !present.has(program))
  const notes = wanted.flatMap((row) =>
    missing(row).map((program) => {
      return `${row.id} is omitted: ${program} is missing (${programs.programs[program].howToGet})`
    }),
  )
  if (!tiny && !present.has('wrk')) {
    const { howToGet } = programs.programs.wrk
    notes.push(
      `wrk is missing (${howToGet}): autocannon makes the load and limits the fastest rows`,
    )
  }
  if (!present.has('taskset')) {
    notes.push('taskset is missing: servers and load share all cores, and the ratios are rough')
  }
  return { selected: wanted.filter((row) => missing(row).length === 0), notes }
}
