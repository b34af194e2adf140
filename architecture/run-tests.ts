import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Counts } from './failure-reporter.ts'
import { root } from './source-tree.ts'
import { jobsOf, type Suite } from './test-suites.ts'

// `npm test` runs both suites; `npm run test:unit` and `npm run test:system` run one.

// System tests wait for other processes during a fifth of their time, so one more fills two cores.
const processes: Record<Suite, number> = { unit: 2, system: 3 }
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

/** Runs each job of a suite in a process of its own, some at the same time. */
async function runJobs(suite: Suite): Promise<Result[]> {
  const waiting = jobsOf(suite, processes[suite])
  const results: Result[] = []
  const runWaiting = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
      results.push(await runFiles(job))
  }
  await Promise.all(Array.from({ length: processes[suite] }, runWaiting))
  return results
}

const suites = process.argv.slice(2) as Suite[]
let isGreen = true
const summary: string[] = []
for (const suite of suites) {
  const startedMs = performance.now()
  const results = await runJobs(suite)
  const sum = (count: keyof Counts) => results.reduce((total, result) => total + result[count], 0)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const numbers = `${sum('tests')} tests, ${sum('passed')} passed, ${sum('failed')} failed`
  summary.push(`${suite.padEnd(6)}  ${numbers}, ${seconds} s`)
  isGreen &&= results.every(({ exitCode, tests }) => exitCode === 0 && tests > 0)
}
process.stdout.write(
  `\n${summary.join('\n')}\n${isGreen ? 'All tests passed.' : 'The tests failed.'}\n`,
)
process.exitCode = isGreen ? 0 : 1
