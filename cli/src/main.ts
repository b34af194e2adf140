import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { CommandFailure } from './command-failure.ts'
import { exitCodes } from './exit-codes.ts'
import { runGreeting } from './program.ts'
import { services } from './system/services.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Asked twice: whoever asks does not want to wait for what is in hand.
    if (stop.signal.aborted) process.exit(exitCodes.failed.code)
    stop.abort(new CommandFailure('failed', `Stopped by ${signal}.`))
  })
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question, { signal: stop.signal })
  } finally {
    lines.close()
  }
}
// Whoever reads the results may stop reading, as head does.
process.stdout.on('error', () => process.exit(exitCodes.done.code))

process.exitCode = await runGreeting(
  process.argv.slice(2),
  {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    paint: (colour, text) => styleText(colour, text, { stream: process.stdout }),
    isInteractive: process.stderr.isTTY === true,
    environment: process.env,
    stop: stop.signal,
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  },
  services,
)
