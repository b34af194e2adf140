import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** The counts of one run, which the test runner receives. */
export type Counts = { readonly tests: number; readonly passed: number; readonly failed: number }

const shown = new Set(['test:fail', 'test:stdout', 'test:stderr', 'test:summary'])

/** The report of a run to its parent process: its counts, and the time that the tests of each file took. */
export type Report = { readonly counts: Counts; readonly millisecondsOfFiles: [string, number][] }

/** Longer than the slowest test: a process that is silent for so long waits for what never comes. */
const silenceMs = Number(process.env.TEST_SILENCE_MS ?? 300_000)

/**
 * Prints failures and output only, and sends its report to the parent process.
 *
 * A server that a failed test leaves open keeps the process alive, and `node --test` prints failures when the
 * process ends. So a silent process is ended, after it printed its failures and what still ran.
 */
// biome-ignore lint/style/noDefaultExport: `node --test` takes the default export as the reporter.
export default async function* failureReporter(source: AsyncIterable<TestEvent>) {
  const running = new Set<string>()
  const failed: string[] = []
  const files = new Map<string, number>()
  const silence = setTimeout(() => {
    const ran = running.size === 0 ? 'no test, so something is still open' : [...running].join('; ')
    const lines = [...failed, `No test ended within ${silenceMs / 1000} s. What still ran: ${ran}`]
    process.stderr.write(`${lines.join('\n')}\n`)
    process.exit(1)
  }, silenceMs).unref()
  const failures = async function* () {
    for await (const event of source) {
      silence.refresh()
      if (event.type === 'test:dequeue') running.add(placeOf(event.data))
      if (event.type === 'test:complete') running.delete(placeOf(event.data))
      if (event.type === 'test:fail')
        failed.push(`${placeOf(event.data)}: ${inspect(event.data.details.error.cause)}`)
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

const placeOf = ({ name, file, line }: { name: string; file?: string; line?: number }) =>
  `${name} (${file}:${line})`
