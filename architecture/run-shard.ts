import { createHook } from 'node:async_hooks'
import { run } from 'node:test'
import failureReporter from './failure-reporter.ts'

// Runs one part of the test files in this process: `node run-shard.ts 1/2 <patterns>`.

/**
 * Lets the runner follow no promise. It follows them to name the test of an error that no one awaits, and
 * this takes a fourth of the processor time. Such an error still fails the run, without this name.
 */
function followNoPromises(): void {
  const hook = createHook({})
  const flag = Object.getOwnPropertySymbols(hook).find((one) =>
    /NoPromise/.test(one.description ?? ''),
  )
  // A version of Node without this option is slower, and tests the same.
  if (flag === undefined) return
  const kind = Object.getPrototypeOf(hook)
  const { enable } = kind
  kind.enable = function (this: Record<symbol, unknown>) {
    kind.enable = enable
    this[flag] = true
    return enable.call(this)
  }
}

const [shard = '1/1', ...globPatterns] = process.argv.slice(2)
const [index = 1, total = 1] = shard.split('/').map(Number)
followNoPromises()
const events = run({ globPatterns, isolation: 'none', shard: { index, total } })
events.on('test:fail', () => {
  process.exitCode = 1
})
for await (const text of failureReporter(events)) process.stdout.write(text)
