import { pino } from 'pino'

const maxFlushMs = 1000

/** The log output of a process, and a function that writes its last lines before an exit. */
export type LogOutput = {
  readonly stream: { readonly write: (line: string) => void }
  /** Resolves when all lines are written, when the reader has gone, or after 1 s. */
  readonly end: () => Promise<void>
}

/**
 * Opens the log output of a process: standard output.
 *
 * At an exit, the stream of pino writes its rest in a loop that ignores errors. When the reader has
 * gone, this loop never ends, and no signal interrupts it but SIGKILL. So `end` must run before.
 */
export function openLogOutput(fd = 1): LogOutput {
  const stream = pino.destination({ fd })
  let isBroken = false
  const broken = new Promise<void>((resolve) => {
    // Each line that follows has an error too: ECONNRESET first, then EPIPE.
    stream.on('error', () => {
      isBroken = true
      resolve()
    })
  })
  const end = async () => {
    const closed = new Promise<void>((resolve) => {
      stream.once('close', resolve)
    })
    if (!isBroken) {
      stream.end()
      const { promise: limit, resolve } = Promise.withResolvers<void>()
      // It keeps the process, which would otherwise exit here, and write its rest.
      const timer = setTimeout(resolve, maxFlushMs)
      await Promise.race([closed, broken, limit])
      clearTimeout(timer)
    }
    stream.flushSync = () => {}
  }
  return { stream, end }
}
