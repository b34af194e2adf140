import { once } from 'node:events'
import { createServer } from 'node:net'
import { CommandFailure } from '../command-failure.ts'

/** A port that a person chose, and the option that chooses another one. */
export type ChosenPort = { readonly port: number; readonly option: string }

/**
 * Finds out before anything is started whether the ports can be had, so that nothing is half-started.
 * Port 0 can always be had.
 */
export async function requireFreePorts(host: string, ports: readonly ChosenPort[]): Promise<void> {
  for (const { port, option } of ports) {
    const server = createServer()
    try {
      server.listen(port, host)
      await once(server, 'listening')
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
      const taken = code === 'EADDRINUSE'
      const why = taken ? 'is in use' : `is not available (${code})`
      const message = `Port ${port} of ${host} ${why}.`
      const remedy = `Choose another one with ${option} (0 means any free port)${taken ? ', or stop the program that uses it' : ''}.`
      throw new CommandFailure('failed', message, { cause, remedy })
    } finally {
      server.close()
    }
  }
}
