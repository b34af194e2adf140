import type { Fetch } from '@greeting/http-service'
import type { Hono } from 'hono'
import type { Authority } from '../dialect/authority.ts'
import type { ServerEnv } from '../http/request-header.ts'
import type { LabParts, ServiceLab } from '../service-world.ts'
import { LabClock } from './lab-clock.ts'

export type LabOptions = {
  /** The clock of the system, in milliseconds since the epoch; default `Date.now`. */
  readonly systemNowMs?: () => number
}

/** The powers over a running server: its clock, its faults, its requests and its keys. */
export class Lab implements ServiceLab {
  readonly clock: LabClock
  #parts: LabParts | undefined
  #keysTended: Promise<unknown> = Promise.resolve()

  constructor({ systemNowMs }: LabOptions = {}) {
    this.clock = new LabClock(systemNowMs, () => this.#tendKeys())
  }

  connect = (parts: LabParts): void => {
    this.#parts = parts
  }

  handlerOf = (app: Hono<ServerEnv>, _authority: Authority): Fetch => {
    return async (request, bindings) => {
      // A rotation that became due must be published before the next answer.
      await this.#keysTended
      return app.fetch(request, bindings)
    }
  }

  /** The values of the enabled app roles of an API. */
  async rolesOf(applicationId: string): Promise<readonly string[]> {
    const { directory } = this.#connected()
    return await directory.read((current) =>
      (current.applicationByAppId(applicationId)?.appRoles ?? []).flatMap(({ isEnabled, value }) =>
        isEnabled && value !== null ? [value] : [],
      ),
    )
  }

  /** Removes the faults and the requests, and brings back the clock of the system. */
  reset(): void {
    this.clock.reset()
  }

  /** @throws {TypeError} before the server has started */
  #connected(): LabParts {
    if (this.#parts === undefined) throw new TypeError('The server of the lab has not started')
    return this.#parts
  }

  #tendKeys(): void {
    this.#keysTended = this.#parts?.keys.tend().catch(() => undefined) ?? Promise.resolve()
  }
}
