import { type ClientFailure, type FetchWithToken, isClientFailure } from '@greeting/client'
import { z } from 'zod'
import { GraphRefusalError, type RequestLine } from './graph-refusal-error.ts'
import { retryReason } from './retryable.ts'

/** What the Graph client needs from the world around it. */
export type GraphRuntime = {
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>
  /** A clock that is never set, in milliseconds. */
  readonly monotonicMs: () => number
}

export type GraphClientOptions = {
  /** `fetchWithToken` for the base URL of Graph, without version. */
  readonly call: FetchWithToken
  readonly runtime: GraphRuntime
  /** The path that the API begins with; default `/v1.0`. */
  readonly root?: string
  /** How long a refusal that may pass is waited for, in milliseconds; default 120000. */
  readonly maxWaitMs?: number
  /** Told of each wait, with its reason and how long it lasts. */
  readonly onWait?: (reason: string, durationMs: number) => void
  /** Ends waits. A request that is under way is finished: nobody would know what became of it. */
  readonly signal?: AbortSignal
}

/** The application roles that the commands of an administrator need. */
export type GraphRole =
  | 'Application.ReadWrite.All'
  | 'AppRoleAssignment.ReadWrite.All'
  | 'SigningKey.ReadWrite.All'
  | 'AuditLog.Read.All'

export type GraphRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the version on, as in `/applications`. */
  readonly path: string
  readonly body?: object
  /** The state that is meant to be changed; whoever changed it meanwhile is not overwritten. */
  readonly ifMatch?: string | undefined
  /** The role that the request demands, to be named when it is missing. */
  readonly role?: GraphRole
  readonly repeatable?: boolean
  readonly expectsLag?: boolean
}

export type GraphAnswer = { readonly body: unknown; readonly etag: string | undefined }

const firstPauseMs = 200
const maxPauseMs = 10_000
// Microsoft Graph pages by a hundred unless asked; nobody has a million applications.
const maxPages = 10_000

const page = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().optional() })

/**
 * Speaks the part of Microsoft Graph v1.0 that registrations need: pages are followed, throttling is
 * obeyed, and what is only late is waited for.
 *
 * @see https://learn.microsoft.com/graph/throttling
 */
export class GraphClient {
  readonly #options: GraphClientOptions
  readonly #maxWaitMs: number

  constructor(options: GraphClientOptions) {
    this.#options = options
    this.#maxWaitMs = options.maxWaitMs ?? 120_000
  }

  /**
   * Sends one request, again and again while its refusal may pass.
   *
   * @throws {GraphRefusalError} graph_refusal when it is refused for good, or for too long.
   */
  async send(request: GraphRequest): Promise<GraphAnswer> {
    const { repeatable = false, expectsLag = false } = request
    const { runtime, onWait, signal } = this.#options
    const endMs = runtime.monotonicMs() + this.#maxWaitMs
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(request)
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
   * The pages of a list, each when it is asked for.
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
    throw new Error(`GET ${path} has more than ${maxPages} pages.`)
  }

  async #sendOnce(request: GraphRequest): Promise<Attempt> {
    try {
      const { response, body } = await this.#call(request)
      const etag = response.headers.get('etag') ?? undefined
      if (response.ok) return { body, etag }
      const fault = new GraphRefusalError(request, response.status, body)
      return { body, etag, fault, retryAfterMs: retryAfterMs(response) }
    } catch (error) {
      if (!isClientFailure(error)) throw error
      return { body: undefined, etag: undefined, fault: error }
    }
  }

  #call({ method, path, body, ifMatch, role }: GraphRequest) {
    const { call, root = '/v1.0' } = this.#options
    return call(/^https?:/.test(path) ? new URL(path) : `${root}${path}`, {
      method,
      ...(role && { role }),
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
      },
      read: async (response) => ({ response, body: jsonOf(await response.text()) }),
    })
  }
}

type Attempt = GraphAnswer & {
  readonly fault?: GraphRefusalError | ClientFailure
  readonly retryAfterMs?: number | undefined
}

/**
 * Reads an answer as what it has to be.
 *
 * @throws {Error} that names the place, and never quotes the answer: it may hold a secret.
 */
export function parseAnswer<One>(
  { method, path }: RequestLine,
  schema: z.ZodType<One>,
  body: unknown,
): One {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const places = result.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new Error(`The answer to ${method} ${path} has an unexpected form: ${places}.`)
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
