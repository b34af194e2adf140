import { setImmediate } from 'node:timers/promises'

/** Gives each caller a turn of the event loop of its own, so that tokens are issued between them. */
export class EventLoopTurns {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves in the first turn that no earlier caller has. */
  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate())
    return this.#last
  }
}
