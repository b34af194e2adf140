import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Report } from './failure-reporter.ts'

// `npm test` runs the units and the system; `npm run test:unit`, `test:system` and `test:long` run one suite.
// `npm test -- --dearest` prints the files whose tests take longest, and keeps their seconds for the next runs.

type Part = { readonly name: string; readonly files: string; readonly shards: number }

/** The parts of each suite: their files, and the number of processes that share them. */
const suites: Readonly<Record<'long' | 'system' | 'unit', readonly Part[]>> = {
  long: [{ name: 'long', files: '**/*.long.test.ts', shards: 2 }],
  system: [
    { name: 'system', files: '**/*.system.test.ts', shards: 4 },
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

const record = join(import.meta.dirname, 'dearest-tests.json')
/** The seconds of the dearest files of a former run. All other files count a third of a second. */
const recorded: Readonly<Record<string, number>> = JSON.parse(readFileSync(record, 'utf8'))
const secondsOf = (file: string) => recorded[file] ?? 1 / 3

/** The files of a part in shards of about the same seconds: the dearest first, each to the shard with the least. */
function shardsOf({ name, files: pattern, shards }: Part) {
  const parts = Array.from({ length: shards }, (_, index) => ({
    name: `${name} ${index + 1}/${shards}`,
    seconds: 0,
    paths: [] as string[],
  }))
  const paths = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).toSorted()
  for (const path of paths.toSorted((left, right) => secondsOf(right) - secondsOf(left))) {
    const least = parts.reduce((left, right) => (right.seconds < left.seconds ? right : left))
    least.paths.push(path)
    least.seconds += secondsOf(path)
  }
  return parts
}

/** Runs files in one process: the start of a process takes longer than most tests. */
async function runShard(name: string, paths: readonly string[]): Promise<void> {
  // Most objects of a test die young: with more space for them, less time goes to garbage.
  const args = ['--max-semi-space-size=64', '--test', '--test-isolation=none', reporter]
  const child = spawn(process.execPath, [...args, ...paths], {
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
  if (exitCode !== 0 || tests === 0) failedShards.push(name)
}

const startedMs = performance.now()
const shards = (['long', 'system', 'unit'] as const)
  .filter((suite) => process.argv.includes(suite))
  .flatMap((suite) => suites[suite])
  .flatMap(shardsOf)
  .toSorted((left, right) => right.seconds - left.seconds)
// System tests wait for timers and for other processes, so two more fill two cores.
const processes = process.argv.includes('system') ? 4 : 2
const runWaiting = async () => {
  for (let shard = shards.shift(); shard !== undefined; shard = shards.shift())
    await runShard(shard.name, shard.paths)
}
await Promise.all(Array.from({ length: processes }, runWaiting))

if (process.argv.includes('--dearest')) {
  const measured = files
    .map(([file, ms]) => [relative(root, file), Math.round(ms / 100) / 10] as const)
    .toSorted(([, left], [, right]) => right - left)
  for (const [file, ofFile] of measured.slice(0, 20)) process.stdout.write(`${ofFile} s ${file}\n`)
  const all = Object.entries({ ...recorded, ...Object.fromEntries(measured) })
  const dear = Object.fromEntries(all.filter(([, ofFile]) => ofFile >= 1).toSorted())
  writeFileSync(record, `${JSON.stringify(dear, null, 2)}\n`)
}

const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
const outcome =
  failedShards.length === 0 ? 'All tests passed' : `Tests failed in ${failedShards.join(', ')},`
process.stdout.write(
  `\n${total.tests} tests, ${total.passed} passed, ${total.failed} failed\n${outcome} in ${seconds} s.\n`,
)
process.exitCode = failedShards.length === 0 ? 0 : 1
