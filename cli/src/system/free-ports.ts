import { once } from 'node:events'
import { createServer } from 'node:net'
import { CommandFailure } from '../command-failure.ts'

/** A requested port, and the option that sets it. */
export type ChosenPort = { readonly port: number; readonly option: string }

/** Checks that the ports are available before any service starts. Port 0 is always available. */
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
