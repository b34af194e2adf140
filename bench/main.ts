import { cases, compareSizes } from './growth/growth-bench.ts'
import { installPeers } from './machine.ts'
import { type Options, readOptions, selected, usage } from './options.ts'
import { contestants } from './peers/contestants.ts'
import { comparePeers } from './peers/peers-bench.ts'

// Child processes end when this process exits, and a signal alone would not run the exit handlers.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

/** Reads the command line, and selects what it names. */
function readCommand(args: string[]): Options & { readonly measure: () => Promise<number> } {
  const options = readOptions(args)
  if (options.bench === 'growth') {
    const wanted = selected(cases, options.only)
    return { ...options, measure: () => compareSizes(wanted, options) }
  }
  const wanted = selected(contestants, options.only)
  return { ...options, measure: () => comparePeers(wanted, options) }
}

async function run(): Promise<number> {
  let command: ReturnType<typeof readCommand>
  try {
    command = readCommand(process.argv.slice(2))
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (command.help) {
    console.log(usage)
    return 0
  }
  if (process.platform !== 'linux') {
    console.error('The bench needs Linux: it reads the processor time of each server from /proc.')
    return 2
  }
  installPeers(command)
  return command.measure()
}

// A failed case may leave a listener open, which would keep the process alive.
process.exit(await run())
