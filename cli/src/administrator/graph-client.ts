// Folder: Every command of an administrator calls the management API through this client.

import { type ClientFailure, type FetchWithToken, isClientFailure } from '@greeting/client'
import {
  type Graph,
  type GraphAnswer,
  GraphRefusalError,
  parseAnswer,
} from '@greeting/registrations/apply'
import { z } from 'zod'
import {
  type AdministratorReply,
  type AdministratorRequest,
  GraphBatches,
  maxRequestsPerBatch,
} from './graph-batches.ts'

/** The facts about a request that determine whether its refusal is retried. */
type RetryConditions = {
  /** Whether repeating the request has no further effect. */
  readonly repeatable: boolean
  /**
   * Whether it refers to an object that was created just before and may not be visible everywhere
   * yet.
   */
  readonly expectsLag: boolean
}

type Row = {
  readonly name: string
  readonly is: (refusal: GraphRefusalError, circumstances: RetryConditions) => boolean
}

const lagSentences =
  /Not a valid reference update|Blueprint does not exist|Permission being assigned was not found on application|does not reference a valid application object/

/**
 * The refusals that are retried: a busy directory, and replicas that lack a new object.
 *
 * @see https://learn.microsoft.com/graph/throttling
 */
const retryableRefusals: readonly Row[] = [
  { name: 'throttled', is: ({ status }) => status === 429 },
  {
    name: 'unavailable',
    is: ({ status }, { repeatable }) => repeatable && [500, 502, 503, 504].includes(status),
  },
  {
    name: 'not found yet',
    is: ({ status }, { expectsLag }) => expectsLag && status === 404,
  },
  {
    name: 'not yet available for references',
    is: ({ status, reason }, { expectsLag }) =>
      expectsLag && status === 400 && lagSentences.test(reason),
  },
  {
    name: 'changed at the same time',
    is: ({ graphCode }, { repeatable }) =>
      repeatable && graphCode === 'Directory_ConcurrencyViolation',
  },
]

/** The reason for a retry, or `undefined` when the error is permanent. */
export function retryReason(
  fault: GraphRefusalError | ClientFailure,
  circumstances: RetryConditions,
): string | undefined {
  // The connection broke, but the directory may have executed the request.
  if (isClientFailure(fault))
    return circumstances.repeatable && fault.code === 'api_unreachable' ? 'unreachable' : undefined
  return retryableRefusals.find(({ is }) => is(fault, circumstances))?.name
}

export type GraphRuntime = {
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number
}

export type GraphClientOptions = {
  /** `fetchWithToken` for the base URL of Graph, without version. */
  readonly call: FetchWithToken
  readonly runtime: GraphRuntime
  /** The first path segment of the API; default `/v1.0`. */
  readonly root?: string
  /** Maximum time to retry a refusal, in milliseconds; default 120000. */
  readonly maxWaitMs?: number
  /**
   * Changes that wait at the same time are sent in batches, at most this many at a time. Default:
   * each change has a separate request.
   */
  readonly maxBatchesInFlight?: number | undefined
  /** Called before each wait, with its reason and its duration. */
  readonly onWait?: (reason: string, durationMs: number) => void
  /** Aborts waits. A sent request is always completed, so that its result is known. */
  readonly signal?: AbortSignal
}

const firstPauseMs = 200
const maxPauseMs = 10_000
// Microsoft Graph returns pages of 100 objects by default. A million objects is beyond any tenant.
const maxPages = 10_000

const page = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().optional() })

/**
 * A client of the part of Microsoft Graph v1.0 that registrations need. It follows pages, obeys
 * throttling, and waits for eventual consistency.
 *
 * @see https://learn.microsoft.com/graph/throttling
 */
export class GraphClient implements Graph {
  readonly #options: GraphClientOptions
  readonly #maxWaitMs: number
  readonly #batches: GraphBatches | undefined

  constructor(options: GraphClientOptions) {
    this.#options = options
    this.#maxWaitMs = options.maxWaitMs ?? 120_000
    const { maxBatchesInFlight: max } = options
    this.#batches = max === undefined ? undefined : new GraphBatches((one) => this.#call(one), max)
  }

  /** How many changes one request can contain. */
  get changesPerRequest(): number {
    return this.#batches === undefined ? 1 : maxRequestsPerBatch
  }

  /**
   * Sends one request, and repeats it while its refusal is temporary.
   *
   * @throws {GraphRefusalError} graph_refusal when the refusal is permanent, or lasts too long.
   */
  async send(request: AdministratorRequest): Promise<GraphAnswer> {
    const { repeatable = false, expectsLag = false } = request
    const { runtime, onWait, signal } = this.#options
    const endMs = runtime.monotonicMs() + this.#maxWaitMs
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(request)
      if (answer.fault === undefined) return answer
      const { fault, retryAfterMs } = answer
      const reason = retryReason(fault, { repeatable, expectsLag })
      const pauseMs = retryAfterMs ?? Math.min(firstPauseMs * 1.5 ** (attempt - 1), maxPauseMs)
      if (reason === undefined || runtime.monotonicMs() + pauseMs >= endMs) throw fault
      onWait?.(reason, pauseMs)
      await runtime.sleep(pauseMs, signal)
    }
  }

  /** All objects of a list. */
  async list<One>(path: string, schema: z.ZodType<One>): Promise<One[]> {
    const found: One[] = []
    for await (const page of this.pages(path, schema)) for (const one of page) found.push(one)
    return found
  }

  /**
   * The pages of a list, each loaded on demand.
   *
   * @throws the reason of the signal, before a request, when the signal is aborted
   */
  async *pages<One>(path: string, schema: z.ZodType<One>): AsyncGenerator<One[]> {
    const line = { method: 'GET', path }
    let next = path
    for (let count = 0; count < maxPages; count += 1) {
      this.#options.signal?.throwIfAborted()
      const { body } = await this.send({ method: 'GET', path: next, repeatable: true })
      const { value, '@odata.nextLink': link } = parseAnswer(line, page, body)
      yield value.map((one) => parseAnswer(line, schema, one))
      if (link === undefined) return
      next = link
    }
    throw new Error(`GET ${path} has more than ${maxPages} pages`)
  }

  async #attempt(request: AdministratorRequest): Promise<Attempt> {
    try {
      const { status, headers, body } = await this.#sendOnce(request)
      const etag = headers.get('etag') ?? undefined
      if (status < 300) return { body, etag }
      const fault = new GraphRefusalError(request, status, body)
      return { body, etag, fault, retryAfterMs: retryAfterMs(headers) }
    } catch (error) {
      if (!isClientFailure(error)) throw error
      return { body: undefined, etag: undefined, fault: error }
    }
  }

  #sendOnce(request: AdministratorRequest): Promise<AdministratorReply> {
    const isChange = request.method !== 'GET'
    return isChange && this.#batches ? this.#batches.send(request) : this.#call(request)
  }

  #call({ method, path, body, ifMatch, role }: AdministratorRequest): Promise<AdministratorReply> {
    const { call, root = '/v1.0' } = this.#options
    return call(/^https?:/.test(path) ? new URL(path) : `${root}${path}`, {
      method,
      ...(role && { role }),
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
        // A search is an advanced query of Microsoft Graph.
        ...(path.includes('?$search=') && { consistencylevel: 'eventual' }),
      },
      read: async (response) => {
        const { status, headers } = response
        return { status, headers, body: jsonOf(await response.text()) }
      },
    })
  }
}

type Attempt = GraphAnswer & {
  readonly fault?: GraphRefusalError | ClientFailure
  readonly retryAfterMs?: number | undefined
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
