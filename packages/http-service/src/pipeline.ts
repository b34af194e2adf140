import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Line = { last: ServerResponse; requests: number; waiting: number }

/** Requests that may wait on one connection. HTTP clients send far fewer before the first answer. */
export const maxWaitingRequests = 100

/**
 * Answers the requests of one connection one after the other (RFC 9112 section 9.3.2).
 *
 * Node gives the app all requests of a pipeline at the same time, and keeps their answers in memory
 * until the client reads them. Here, an answer is only created when the client has read the one before.
 */
export class Pipeline {
  readonly #maxRequests: number
  readonly #lines = new WeakMap<Socket, Line>()

  /** @param maxRequests of one connection; the answer to the last one closes it */
  constructor(maxRequests: number) {
    this.#maxRequests = maxRequests
  }

  /**
   * Calls `answer` when the earlier answers of the connection have been sent. Closes the connection
   * when too many requests wait.
   */
  enter(response: ServerResponse, answer: () => void): void {
    const { socket } = response.req
    const line = this.#lines.get(socket) ?? { last: response, requests: 0, waiting: 0 }
    const before = line.last
    line.last = response
    line.requests += 1
    if (line.requests === 1) this.#lines.set(socket, line)
    if (line.requests === this.#maxRequests) response.shouldKeepAlive = false
    if (line.requests === 1 || before.writableFinished) {
      answer()
      return
    }
    line.waiting += 1
    if (line.waiting > maxWaitingRequests) {
      socket.destroy()
      return
    }
    before.once('close', () => {
      line.waiting -= 1
      if (!socket.destroyed) answer()
    })
  }
}
