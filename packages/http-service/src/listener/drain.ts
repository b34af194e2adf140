import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { Server as NetServer } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** How a listener stops. All times are in milliseconds, and 0 by default. */
export type StopOptions = {
  /** It accepts connections for this long. Each response closes its connection. */
  readonly delayMs?: number
  /**
   * After the delay, idle connections stay open for this long: a request may be on its way. Responses
   * wait until no connection has arrived for a tenth of it, and for another tenth after the port has closed.
   */
  readonly graceMs?: number
}

const maxDrainMs = 30_000
const idleCheckMs = 50
/** The port closes after a pause without a new connection, or after this many pauses. */
const maxQuietPauses = 5

/**
 * Stops a server. From now on, each response is the last one of its connection. After the delay it accepts
 * no new connections, and after the grace it closes idle ones. 30 s after the delay it closes all.
 *
 * @param latest the response to the latest request of each open connection
 * @param others sockets at other addresses, whose connections are those of the server
 */
export async function drain(
  server: Server | SecureServer,
  latest: readonly ServerResponse[],
  heldAnswers: HeldAnswers,
  { delayMs = 0, graceMs = 0 }: StopOptions = {},
  others: readonly NetServer[] = [],
): Promise<void> {
  const closeAfter = (response: ServerResponse) => {
    response.shouldKeepAlive = false
  }
  latest.forEach(closeAfter)
  server.prependListener('request', (_, response) => closeAfter(response))
  if (delayMs > 0) await sleep(delayMs)
  // The system resets connections that the closed port has not accepted. A client that waits for an
  // answer opens none.
  heldAnswers.hold()
  const pause = () => (graceMs > 0 ? sleep(graceMs / 10) : undefined)
  let [accepted, known] = [0, -1]
  server.on('connection', () => {
    accepted += 1
  })
  for (let pauses = 0; pauses < maxQuietPauses && graceMs > 0 && accepted !== known; pauses += 1) {
    known = accepted
    await pause()
    // After a turn of the loop, all connections of the pause are accepted, however late its timer is.
    await setImmediate()
  }
  const closed = Promise.all([server, ...others].map((one) => once(one, 'close')))
  // The `close` of an HTTP server would close idle connections immediately. In Bun, it is no server of `net`.
  const { close } = server instanceof NetServer ? NetServer.prototype : server
  close.call(server)
  for (const one of others) one.close()
  heldAnswers.release()
  const deadline = setTimeout(() => server.closeAllConnections(), maxDrainMs)
  if (graceMs > 0) await Promise.race([closed, sleep(graceMs, undefined, { ref: false })])
  const closeIdle = () => server.closeIdleConnections()
  closeIdle()
  const idleCheck = setInterval(closeIdle, idleCheckMs)
  await closed
  clearInterval(idleCheck)
  clearTimeout(deadline)
  // Ends its interval for timeouts.
  server.close()
}

/** Answers that can be held back for a moment, while their connections stay open. */
export class HeldAnswers {
  #held: (() => void)[] | undefined

  /** Runs an answer, or holds it back until the release. */
  run(answer: () => void): void {
    if (this.#held === undefined) answer()
    else this.#held.push(answer)
  }

  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const answer of held) answer()
  }
}
