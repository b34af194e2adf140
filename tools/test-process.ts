import hooks from 'node:async_hooks'
import { inspect } from 'node:util'
import { failureReporter } from './failure-reporter.ts'

// `node tools/test-process.ts FILE ...` runs test files in this process and prints failures only.

/**
 * `node --test` observes every promise through an asynchronous hook, only to name the test that an uncaught error
 * belongs to. The hook takes a fifth of the processor time, so this process runs without it.
 */
const { createHook } = hooks
Object.assign(hooks, { createHook: () => ({ enable: () => {}, disable: () => {} }) })
const { run } = await import('node:test')
const events = run({ files: process.argv.slice(2), isolation: 'none' })
Object.assign(hooks, { createHook })

const print = (error: unknown) => process.stderr.write(`Uncaught: ${inspect(error)}\n`)
process.on('uncaughtException', print)
process.on('unhandledRejection', print)
events.on('test:fail', () => {
  process.exitCode = 1
})
events.compose(failureReporter).pipe(process.stdout)
