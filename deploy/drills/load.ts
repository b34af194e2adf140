import { setTimeout as sleep } from 'node:timers/promises'
import type { Administrator } from './administrator.ts'

/** A request that throws when it does not get the expected answer. */
type Request = () => Promise<unknown>

/** What the clients of a drill received. */
export type LoadReport = {
  readonly requests: number
  readonly failures: readonly string[]
  /** The names of the applications whose creation was acknowledged. */
  readonly acknowledged: readonly string[]
  /** The duration of a request in milliseconds that this part of all requests did not exceed. */
  readonly quantileMs: (part: number) => number
}

const pauseMs = 20

/** Clients that send requests without pause and without a second attempt, until `stop`. */
export class Load {
  readonly #durationsMs: number[] = []
  readonly #failures: string[] = []
  readonly #acknowledged: string[] = []
  readonly #running: Promise<void>[] = []
  #isStopped = false

  /** Starts clients that send these requests in turn. */
  addClients(count: number, requests: readonly Request[]): void {
    for (let client = 0; client < count; client += 1)
      this.#running.push(
        this.#repeat(async () => {
          for (const request of requests) await this.#send(request)
        }),
      )
  }

  /** Starts an administrator that creates applications, one after another. */
  addAdministrator(administrator: Administrator): void {
    let index = 0
    const create = async () => {
      const name = `application ${index++}`
      await administrator.createApplication(name)
      this.#acknowledged.push(name)
    }
    this.#running.push(this.#repeat(() => this.#send(create)))
  }

  /** Ends the clients after their running requests. */
  async stop(): Promise<LoadReport> {
    this.#isStopped = true
    await Promise.all(this.#running)
    const sorted = this.#durationsMs.toSorted((a, b) => a - b)
    return {
      requests: sorted.length,
      failures: this.#failures,
      acknowledged: this.#acknowledged,
      quantileMs: (part) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0,
    }
  }

  async #repeat(action: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await action()
      await sleep(pauseMs)
    }
  }

  async #send(request: Request): Promise<void> {
    const startedMs = performance.now()
    try {
      await request()
    } catch (error) {
      const { message, cause } = error as Error
      this.#failures.push(`${message}${cause === undefined ? '' : `: ${cause}`}`)
    }
    this.#durationsMs.push(performance.now() - startedMs)
  }
}
