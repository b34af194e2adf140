import type { Running } from '../running/process.ts'
import type { RoundRobin } from './round-robin.ts'

/** Starts one more replica. */
export type Launch = () => Promise<Running>

export type RollOptions = {
  /**
   * Whether the proxy stops using a replica before its stop signal, as a release without
   * STOP_DELAY_SECONDS needs it; default false.
   */
  readonly isRemovedFirst?: boolean
}

/** The replicas of a service behind a proxy. */
export class Replicas implements AsyncDisposable {
  readonly #proxy: RoundRobin
  #running: Running[] = []

  constructor(proxy: RoundRobin) {
    this.#proxy = proxy
  }

  get urls(): readonly string[] {
    return this.#running.map(({ url }) => url)
  }

  /** Starts a replica, and waits until the proxy uses it. */
  async add(launch: Launch): Promise<Running> {
    const replica = await launch()
    this.#running.push(replica)
    this.#proxy.add(replica.url)
    await this.#proxy.untilReady(replica.url)
    return replica
  }

  /**
   * Replaces each replica, as a deployment with `maxUnavailable: 0` and `maxSurge: 1` does: the next one is
   * ready before the former one gets its stop signal.
   *
   * @throws {Error} when a replica ends with another exit code than 0
   */
  async roll(launch: Launch, { isRemovedFirst = false }: RollOptions = {}): Promise<void> {
    for (const former of [...this.#running]) {
      await this.add(launch)
      if (isRemovedFirst) this.#proxy.remove(former.url)
      const code = await former.stop()
      this.#proxy.remove(former.url)
      this.#running = this.#running.filter((replica) => replica !== former)
      if (code !== 0) throw new Error(`${former.url} ended with the exit code ${code}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((replica) => replica.stop()))
  }
}
