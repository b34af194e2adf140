import type { Runtime } from '../../src/runtime.ts'

/** A sent request. */
export type SentRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly form: URLSearchParams
}

export type Answer = (
  request: SentRequest,
  signal: AbortSignal | undefined,
) => Response | Promise<Response>

const startMs = Date.UTC(2026, 0, 1)

/**
 * A virtual runtime. Time advances only during a sleep. Each request gets the answer of the next
 * function; the last function answers all further requests.
 */
export class VirtualRuntime {
  readonly sent: SentRequest[] = []
  readonly sleptMs: number[] = []
  /** The result of `random`. */
  luck = 0.5
  /** Difference between the wall clock and the elapsed time. */
  wallClockErrorMs = 0
  readonly #answers: Answer[]
  #alarms: { readonly atMs: number; readonly ring: () => void }[] = []
  #passedMs = 0

  constructor(...answers: Answer[]) {
    this.#answers = answers
  }

  get passedMs(): number {
    return this.#passedMs
  }

  /** Advances the time and runs the timers that become due. */
  pass(durationMs: number): void {
    this.#passedMs += durationMs
    const due = this.#alarms.filter(({ atMs }) => atMs <= this.#passedMs)
    this.#alarms = this.#alarms.filter(({ atMs }) => atMs > this.#passedMs)
    for (const { ring } of due) ring()
  }

  get runtime(): Runtime {
    return {
      createHeaders: (init) => new Headers(init),
      fetch: async (input, init = {}) => {
        init.signal?.throwIfAborted()
        const request = {
          url: String(input),
          method: init.method ?? 'GET',
          headers: new Headers(init.headers),
          form: new URLSearchParams(init.body instanceof URLSearchParams ? init.body : ''),
        }
        this.sent.push(request)
        const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]
        if (answer === undefined) throw new Error('no answer is prepared')
        return answer(request, init.signal ?? undefined)
      },
      wallClockMs: () => startMs + this.#passedMs + this.wallClockErrorMs,
      monotonicMs: () => this.#passedMs,
      random: () => this.luck,
      sleep: async (durationMs, signal) => {
        signal?.throwIfAborted()
        this.sleptMs.push(durationMs)
        this.pass(durationMs)
      },
      timeoutSignal: (durationMs) => {
        const controller = new AbortController()
        const ring = () => controller.abort(new DOMException('too slow', 'TimeoutError'))
        this.#alarms.push({ atMs: this.#passedMs + durationMs, ring })
        return controller.signal
      },
    }
  }
}

/** A server that accepts the request and never answers. Time advances meanwhile. */
export const silence =
  (environment: () => VirtualRuntime, durationMs: number): Answer =>
  (_request, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      queueMicrotask(() => environment().pass(durationMs))
    })

/** A failed connection, with the error of undici. */
export const noConnection: Answer = () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
  })
  throw new TypeError('fetch failed', { cause })
}

/** An answer with a JSON body. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    })

/** An answer with a text body. */
export const text =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } })

/** A body that ends early. */
export const cutInMidBody =
  (beginning: string): Answer =>
  () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
        pull: (controller) => controller.error(new TypeError('terminated')),
      }),
      { headers: { 'content-type': 'application/json' } },
    )

/** The answer of a token endpoint with a token. */
export const grant = (token: string, expiresIn: unknown = 3599): Answer =>
  json(200, { token_type: 'Bearer', expires_in: expiresIn, access_token: token })

export const refusal = (error: string, code = 7000215, status = 401): Answer =>
  json(status, {
    error,
    error_description: `AADSTS${code}: A sentence. Trace ID: 1f Correlation ID: 2f Timestamp: 3`,
    correlation_id: '2f2f2f2f-0000-4000-8000-000000000002',
    trace_id: '1f1f1f1f-0000-4000-8000-000000000001',
  })
