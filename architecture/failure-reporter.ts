import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

/** The counts of one run, as the runner of the tests receives them. */
export type Counts = { readonly tests: number; readonly passed: number; readonly failed: number }

const shown = new Set(['test:fail', 'test:stdout', 'test:stderr', 'test:summary'])

/** Prints failures and output only, and sends the counts to the parent process. */
// biome-ignore lint/style/noDefaultExport: `node --test` takes the default export as the reporter.
export default async function* failureReporter(source: AsyncIterable<TestEvent>) {
  const failures = async function* () {
    for await (const event of source) {
      if (event.type === 'test:summary') process.send?.(event.data.counts)
      if (shown.has(event.type)) yield event
    }
  }
  yield* Readable.from(failures()).pipe(new spec())
}
