import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, relative } from 'node:path'
import type { Report } from './failure-reporter.ts'

// `npm test` runs the units and the system; `npm run test:unit`, `test:system` and `test:long` run one suite.
// `npm test -- --dearest` prints the files whose tests take longest.

type Part = { readonly name: string; readonly files: string; readonly shards: number }

/** The parts of each suite: their files, and the number of processes that share them. */
const suites: Readonly<Record<'long' | 'system' | 'unit', readonly Part[]>> = {
  long: [{ name: 'long', files: '**/*.long.test.ts', shards: 2 }],
  system: [
    { name: 'system', files: '**/*.system.test.ts', shards: 5 },
    // Each process starts the shared system and a browser.
    { name: 'e2e', files: 'test/system/**/!(*.long).test.ts', shards: 2 },
  ],
  unit: [
    {
      name: 'unit',
      files:
        '{cli,deploy,examples,packages,services,test/fixtures,tools/build}/**/!(*.system|*.long).test.ts',
      shards: 2,
    },
  ],
}

const root = join(import.meta.dirname, '..')
const reporter = `--test-reporter=${join(import.meta.dirname, 'failure-reporter.ts')}`
const env = {
  // Each process compiles the same files without it.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile-cache'),
  ...process.env,
}

const total = { tests: 0, passed: 0, failed: 0 }
const failedShards: string[] = []
const files: Report['millisecondsOfFiles'] = []

/** Runs one part of the files in one process: the start of a process takes longer than most tests. */
async function runShard({ name, files: pattern }: Part, shard: string): Promise<void> {
  const args = ['--test', '--test-isolation=none', `--test-shard=${shard}`, reporter]
  const child = spawn(process.execPath, [...args, pattern], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let tests = 0
  child.on('message', ({ counts, millisecondsOfFiles }: Report) => {
    tests = counts.tests
    files.push(...millisecondsOfFiles)
    for (const count of ['tests', 'passed', 'failed'] as const) total[count] += counts[count]
  })
  const [exitCode] = await once(child, 'close')
  if (exitCode !== 0 || tests === 0) failedShards.push(`${name} ${shard}`)
}

const startedMs = performance.now()
const shards = (['long', 'system', 'unit'] as const)
  .filter((suite) => process.argv.includes(suite))
  .flatMap((suite) => suites[suite])
  .flatMap((part) =>
    Array.from({ length: part.shards }, (_, index) => {
      return () => runShard(part, `${index + 1}/${part.shards}`)
    }),
  )
// System tests wait for timers and for other processes, so two more fill two cores.
const processes = process.argv.includes('system') ? 4 : 2
const runWaiting = async () => {
  for (let run = shards.shift(); run !== undefined; run = shards.shift()) await run()
}
await Promise.all(Array.from({ length: processes }, runWaiting))

if (process.argv.includes('--dearest')) {
  const dearest = files.toSorted(([, left], [, right]) => right - left).slice(0, 20)
  for (const [file, milliseconds] of dearest)
    process.stdout.write(`${(milliseconds / 1000).toFixed(1)} s ${relative(root, file)}\n`)
}

const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
const outcome =
  failedShards.length === 0 ? 'All tests passed' : `Tests failed in ${failedShards.join(', ')},`
process.stdout.write(
  `\n${total.tests} tests, ${total.passed} passed, ${total.failed} failed\n${outcome} in ${seconds} s.\n`,
)
process.exitCode = failedShards.length === 0 ? 0 : 1
