import type { Fetch } from './http-server.ts'

/** More wait for nobody: they would only grow old, and fall out of the processor's caches. */
const most = 32

/**
 * Lets answers that are ready in one turn of the event loop go out in a row, 32 at most.
 *
 * To send an answer wakes whoever waits for it. Where that is a process of the same machine, it can cost
 * as much as to find the answer; what follows while the other side is awake costs little.
 */
export function inBatches(fetch: Fetch): Fetch {
  const batch = new Batch()
  return (request, bindings) => {
    const response = fetch(request, bindings)
    // What had to be waited for waits no longer.
    if (response instanceof Promise) return response
    return batch.sending().then(() => response)
  }
}

/** What waits in this turn. */
class Batch {
  #gate: PromiseWithResolvers<void> | undefined
  #size = 0

  /** Resolves at the end of the turn, or at once for all when the batch is full. */
  sending(): Promise<void> {
    if (this.#gate === undefined) {
      this.#gate = Promise.withResolvers()
      setImmediate(() => this.#send())
    }
    const { promise } = this.#gate
    this.#size += 1
    if (this.#size === most) this.#send()
    return promise
  }

  #send(): void {
    this.#gate?.resolve()
    this.#gate = undefined
    this.#size = 0
  }
}
