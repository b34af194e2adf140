import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

/** The counts of one run, as the runner of the tests receives them. */
export type Counts = { readonly tests: number; readonly passed: number; readonly failed: number }

const shown = new Set(['test:fail', 'test:stdout', 'test:stderr', 'test:summary'])

/** What a run sends to its parent process: its counts, and the time in the tests of each file. */
export type Report = { readonly counts: Counts; readonly millisecondsOfFiles: [string, number][] }

/** Prints failures and output only, and sends its report to the parent process. */
// biome-ignore lint/style/noDefaultExport: `node --test` takes the default export as the reporter.
export default async function* failureReporter(source: AsyncIterable<TestEvent>) {
  const files = new Map<string, number>()
  const failures = async function* () {
    for await (const event of source) {
      if (event.type === 'test:complete' && event.data.nesting === 0) {
        const { details, file = '' } = event.data
        files.set(file, (files.get(file) ?? 0) + details.duration_ms)
      }
      if (event.type === 'test:summary')
        process.send?.({ counts: event.data.counts, millisecondsOfFiles: [...files] })
      if (shown.has(event.type)) yield event
    }
  }
  yield* Readable.from(failures()).pipe(new spec())
}
