import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { RunningResponses } from './running-responses.ts'

const maxDrainMs = 30_000
const idleCheckMs = 50

/**
 * Stops a server: it accepts no new connections, answers the running requests, and closes idle
 * connections. After 30 s it closes all connections.
 *
 * @param running the responses that are not sent yet
 */
export async function drain(
  server: Server | SecureServer,
  running: RunningResponses,
): Promise<void> {
  const closed = once(server, 'close')
  const closeAfter = (response: ServerResponse) => {
    response.shouldKeepAlive = false
  }
  for (const response of running) closeAfter(response)
  // A new request on an open connection is answered, and is the last one of its connection.
  server.prependListener('request', (_, response) => closeAfter(response))
  server.close()
  const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const deadline = setTimeout(() => server.closeAllConnections(), maxDrainMs)
  await closed
  clearInterval(idleCheck)
  clearTimeout(deadline)
}
