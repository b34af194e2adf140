// Folder: The recorded requests, and what clients did wrong.

import type { Endpoint } from '../faults/fault-context.ts'

/** The place of the client's proof in a token request. */
export type CredentialPlace = 'form' | 'basic' | 'assertion' | 'query' | 'none'

/** A request to an endpoint, and its outcome. It contains no secret and no token. */
export type LabRequest = {
  readonly id: number
  /** The time of the lab. */
  readonly at: Date
  readonly endpoint: Endpoint
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The names of the query parameters. */
  readonly queryNames: readonly string[]
  /** The headers that say how a client works. The others are left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The form of a token request. Values that may be secret are `[redacted]`. */
  readonly form: Readonly<Record<string, string>>
  /** The claimed client of a token request. */
  readonly clientId: string | undefined
  /** The header `x-greeting-run`. */
  readonly runId: string | undefined
  readonly credentialPlace: CredentialPlace
  /** The end of the bearer token of a request, from its claims; not verified. */
  readonly bearerExpiresAt: Date | undefined
  /** The status of the answer; 0 when the connection was reset. */
  readonly status: number
  /** The member `error` of a refusal. */
  readonly error: string | undefined
  /** The numbers in AADSTS codes. */
  readonly errorCodes: readonly number[]
  /** The header `Retry-After` of the answer, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** The end of the issued token. */
  readonly tokenExpiresAt: Date | undefined
  /** The fault that broke the answer. */
  readonly fault: string | undefined
  /** The start and the end on a monotonic clock, in milliseconds. */
  readonly startedMs: number
  readonly endedMs: number
}

/** Selects requests: all its members must be equal. */
export type RequestFilter = Partial<
  Pick<LabRequest, 'endpoint' | 'clientId' | 'runId' | 'status' | 'fault'>
>

/** The error when no request came in time. */
export class NoRequestError extends Error {
  readonly code = 'no_request'
  override readonly name = 'NoRequestError'
}

type Waiter = {
  readonly filter: RequestFilter
  readonly resolve: (request: LabRequest) => void
}

const maxRequests = 1000
const maxWaiters = 100

/** The latest 1000 requests to the endpoints of a lab, the oldest first. */
export class RequestLog {
  #requests: LabRequest[] = []
  #waiters: Waiter[] = []
  #count = 0

  /** The number of requests since the last `clear`, with those that are no longer kept. */
  get count(): number {
    return this.#count
  }

  add(request: Omit<LabRequest, 'id'>): void {
    this.#count += 1
    const recorded = { ...request, id: this.#count }
    this.#requests.push(recorded)
    if (this.#requests.length > maxRequests) this.#requests.shift()
    const met = this.#waiters.filter(({ filter }) => matches(recorded, filter))
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter))
    for (const { resolve } of met) resolve(recorded)
  }

  /** The requests that match, the oldest first. */
  all(filter: RequestFilter = {}): readonly LabRequest[] {
    return this.#requests.filter((request) => matches(request, filter))
  }

  /** The latest request that matches. */
  last(filter: RequestFilter = {}): LabRequest | undefined {
    return this.#requests.findLast((request) => matches(request, filter))
  }

  /**
   * Waits for the next answered request that matches.
   *
   * @param timeoutMs default 5000
   * @throws {NoRequestError} no_request when none comes in time
   * @throws {RangeError} when 100 calls already wait
   */
  async next(filter: RequestFilter = {}, timeoutMs = 5000): Promise<LabRequest> {
    if (this.#waiters.length >= maxWaiters)
      throw new RangeError(`at most ${maxWaiters} calls of next may wait at the same time`)
    const { promise, resolve, reject } = Promise.withResolvers<LabRequest>()
    const waiter = { filter, resolve }
    this.#waiters.push(waiter)
    const timer = setTimeout(() => {
      this.#waiters = this.#waiters.filter((one) => one !== waiter)
      const wanted = JSON.stringify(filter)
      reject(new NoRequestError(`No request came within ${timeoutMs} ms that matches ${wanted}`))
    }, timeoutMs)
    return promise.finally(() => clearTimeout(timer))
  }

  clear(): void {
    this.#requests = []
    this.#count = 0
  }
}

const matches = (request: LabRequest, filter: RequestFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) => value === undefined || request[name as keyof RequestFilter] === value,
  )
