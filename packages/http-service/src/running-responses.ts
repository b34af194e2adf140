import type { ServerResponse } from 'node:http'

/**
 * The responses that are not sent yet.
 *
 * They are in an array. V8 moves a `Set` to a new table after some deletions. The old table keeps what
 * it contained, and refers to the new one. So a minor collection would copy finished responses.
 */
export class RunningResponses implements Iterable<ServerResponse> {
  readonly #responses: ServerResponse[] = []

  /** Adds a response until it is sent, or its connection is closed. */
  add(response: ServerResponse): void {
    this.#responses.push(response)
    response.once('close', () => this.#remove(response))
  }

  [Symbol.iterator](): Iterator<ServerResponse> {
    return this.#responses.values()
  }

  #remove(response: ServerResponse): void {
    const last = this.#responses.pop()
    if (last === undefined || last === response) return
    this.#responses[this.#responses.indexOf(response)] = last
  }
}
