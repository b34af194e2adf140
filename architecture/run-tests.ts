import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Counts } from './failure-reporter.ts'
import { root } from './source-tree.ts'
import { type Job, jobsOf, type Suite } from './test-suites.ts'

// `npm test` runs both suites as one queue of jobs; `npm run test:unit` and `npm run test:system` run one.

const suites = process.argv.slice(2) as Suite[]
// System tests wait for timers and for other processes, so two more fill two cores.
const processes = suites.includes('system') ? 4 : 2
const reporter = join(import.meta.dirname, 'failure-reporter.ts')
const env = {
  // Each of some hundred processes compiles the same files without it.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile-cache'),
  ...process.env,
}

type Result = Counts & { readonly exitCode: number | null }

/** Runs files in one process: the start of a process takes longer than most unit tests. */
async function runFiles(files: readonly string[]): Promise<Result> {
  const args = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`, ...files]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: [...stdio] })
  let counts: Counts = { tests: 0, passed: 0, failed: 0 }
  child.on('message', (message: Counts) => {
    counts = message
  })
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { ...counts, exitCode }
}

/** Runs jobs, some at the same time, and returns the results of each suite. */
async function runJobs(waiting: Job[]): Promise<Map<Suite, Result[]>> {
  const results = new Map(suites.map((suite) => [suite, [] as Result[]]))
  const runWaiting = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
      results.get(job.suite)?.push(await runFiles(job.files))
  }
  await Promise.all(Array.from({ length: processes }, runWaiting))
  return results
}

const startedMs = performance.now()
let isGreen = true
const summary: string[] = []
for (const [suite, results] of await runJobs(jobsOf(suites))) {
  const sum = (count: keyof Counts) => results.reduce((total, result) => total + result[count], 0)
  const numbers = `${sum('tests')} tests, ${sum('passed')} passed, ${sum('failed')} failed`
  summary.push(`${suite.padEnd(6)}  ${numbers}`)
  isGreen &&= results.every(({ exitCode, tests }) => exitCode === 0 && tests > 0)
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
summary.push(`${isGreen ? 'All tests passed' : 'The tests failed'} in ${seconds} s.`)
process.stdout.write(`\n${summary.join('\n')}\n`)
process.exitCode = isGreen ? 0 : 1
