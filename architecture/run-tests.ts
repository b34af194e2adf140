import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Counts } from './failure-reporter.ts'
import { root } from './source-tree.ts'
import { filesOf, type Suite } from './test-suites.ts'

// `npm test` runs both suites; `npm run test:unit` and `npm run test:system` run one.

const processes = 2
const reporter = join(import.meta.dirname, 'failure-reporter.ts')
const env = {
  // Each of some hundred processes compiles the same files without it.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile-cache'),
  ...process.env,
}

type Result = Counts & { readonly exitCode: number | null }

async function runFiles(options: readonly string[], files: readonly string[]): Promise<Result> {
  const args = ['--test', `--test-reporter=${reporter}`, ...options, ...files]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: [...stdio] })
  let counts: Counts = { tests: 0, passed: 0, failed: 0 }
  child.on('message', (message: Counts) => {
    counts = message
  })
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { ...counts, exitCode }
}

/** Parts of similar size, with the size of a file as the estimate of its time. */
function partsOf(files: readonly string[]): string[][] {
  const parts = Array.from({ length: processes }, () => ({ bytes: 0, files: [] as string[] }))
  const sized = files.map((file) => ({ file, bytes: statSync(join(root, file)).size }))
  for (const { file, bytes } of sized.sort((a, b) => b.bytes - a.bytes)) {
    const smallest = parts.reduce((one, other) => (other.bytes < one.bytes ? other : one))
    smallest.files.push(file)
    smallest.bytes += bytes
  }
  return parts.map((part) => part.files)
}

const runSuite: Record<Suite, () => Promise<Result[]>> = {
  // One process runs many files: most of the time of a unit test is the start of its process.
  unit: () =>
    Promise.all(
      partsOf(filesOf('unit')).map((files) => runFiles(['--test-isolation=none'], files)),
    ),
  system: async () => [await runFiles([`--test-concurrency=${processes}`], filesOf('system'))],
}

const suites = process.argv.slice(2) as Suite[]
let isGreen = true
const summary: string[] = []
for (const suite of suites) {
  const startedMs = performance.now()
  const results = await runSuite[suite]()
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
