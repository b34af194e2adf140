import { ClientError } from '../errors.ts'
import { type OnEvent, requestAttributes, type Trace } from '../hooks.ts'
import { readBoundedText } from '../http/bounded-body.ts'
import { type Attempt, type AttemptLimits, readRetryAfter } from '../http/retry.ts'
import { isSecureUrl } from '../http/secure-url.ts'
import { untilAborted } from '../http/until-aborted.ts'
import { isPermanentFault } from '../network-fault.ts'
import { withoutSecrets } from '../redaction.ts'
import type { Runtime } from '../runtime.ts'
import { unreachableError } from '../token/token-errors.ts'
import { lastFailureOf, type TokenSource } from '../token/token-source.ts'
import {
  apiUnavailableError,
  apiUnreachableError,
  roleMissingError,
  tokenRejectedError,
} from './api-errors.ts'

/**
 * Reads a response. `withoutToken` removes the token from a text. `asked` is the method and the URL
 * without its query, for messages.
 */
export type ReadAnswer<Value> = (
  response: Response,
  withoutToken: (text: string) => string,
  asked: string,
) => Promise<Value>

/** The request of one call of an API. Each attempt sends it again. */
type ApiRequest<Value> = {
  readonly url: URL
  readonly init: Omit<RequestInit, 'redirect'>
  readonly role: string | undefined
  readonly read: ReadAnswer<Value>
}

/** The common parts of all calls of an API. */
type ApiContext = {
  readonly tokens: TokenSource
  readonly runtime: Runtime
  readonly emit: OnEvent
  readonly trace: Trace
}

// RFC 9110 section 9.2.2: only these methods may be repeated automatically.
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
export const transientStatuses = new Set([429, 502, 503, 504])

/** One call of an API: its attempts, and the effect of each response on the token. */
export class ApiCall<Value> {
  readonly #context: ApiContext
  readonly #request: ApiRequest<Value>
  readonly #method: string
  #isTokenNew = false

  constructor(context: ApiContext, request: ApiRequest<Value>) {
    this.#context = context
    this.#request = request
    this.#method = (request.init.method ?? 'GET').toUpperCase()
  }

  /** One attempt: the answer, or a transient error. A permanent error is thrown. */
  async attempt(limits: AttemptLimits): Promise<Attempt<Value>> {
    try {
      return await this.#attempt(limits)
    } catch (error) {
      this.#request.init.signal?.throwIfAborted()
      const isBroken =
        error instanceof ClientError &&
        error.code === 'api_unreachable' &&
        !isPermanentFault(error.details)
      if (isBroken && this.#mayRepeat) return { done: false, error }
      throw error
    }
  }

  get #mayRepeat(): boolean {
    return idempotent.has(this.#method)
  }

  async #attempt(limits: AttemptLimits): Promise<Attempt<Value>> {
    const { number, deadline, requestSignal } = limits
    const token = await this.#token(deadline)
    let { response, isFromOrigin } = await this.#send(token, requestSignal(), number)
    // The status of another origin does not concern our token.
    const status = isFromOrigin ? response.status : undefined
    if (status === 401) {
      await this.#dropRefused(token, response)
      return this.#attempt(limits)
    }
    if (status === 403) {
      // Microsoft Graph refuses with 403 also what exceeds a quota, which no role changes.
      const body = await readBoundedText(response, maxRefusalBytes).catch(() => '')
      if (!body.includes('Directory_QuotaExceeded'))
        throw roleMissingError(response, this.#request.role)
      response = new Response(body, response)
    }
    if (status !== undefined && transientStatuses.has(status) && this.#mayRepeat) {
      await response.body?.cancel()
      const retryAfterMs = readRetryAfter(response.headers, this.#context.runtime.wallClockMs())
      const error = apiUnavailableError(response, number, retryAfterMs)
      return { done: false, error, retryAfterMs }
    }
    return { done: true, value: await this.#read(token, response, number) }
  }

  async #token(deadline: AbortSignal): Promise<string> {
    try {
      return await untilAborted(this.#context.tokens.token({ signal: deadline }), deadline)
    } catch (error) {
      this.#request.init.signal?.throwIfAborted()
      if (!deadline.aborted) throw error
      throw lastFailureOf(this.#context.tokens) ?? unreachableError(deadline.reason, [], 0)
    }
  }

  /** A second refusal is final. So is the first one if the body cannot be sent again. */
  async #dropRefused(token: string, response: Response): Promise<void> {
    await response.body?.cancel()
    const rejected = (remedy?: string) =>
      tokenRejectedError(response, (text) => withoutSecrets(text, [token]), remedy)
    // A new token was refused, so another new one would be refused too.
    if (this.#isTokenNew) throw rejected()
    this.#context.tokens.drop(token)
    if (this.#request.init.body instanceof ReadableStream)
      throw rejected('Call again with a new body, which uses a new token: a stream is sent once.')
    this.#isTokenNew = true
  }

  async #send(token: string, signal: AbortSignal, attempt: number): Promise<RedirectResult> {
    const { runtime, emit, trace } = this.#context
    const { url, init } = this.#request
    const method = this.#method
    const headers = runtime.createHeaders(init.headers)
    const startMs = runtime.monotonicMs()
    const call = { method, path: url.pathname, attempt }
    const attributes = requestAttributes(method, url, attempt)
    try {
      return await trace({ name: method, attributes, headers }, async (setAttributes) => {
        headers.set('authorization', `Bearer ${token}`)
        const request = { ...init, method, headers, signal }
        const result = await followRedirects(runtime, url, request)
        const { status } = result.response
        setAttributes({ 'http.response.status_code': status })
        emit({
          type: 'call_answered',
          ...call,
          status,
          durationMs: runtime.monotonicMs() - startMs,
        })
        return result
      })
    } catch (error) {
      const failure = apiUnreachableError(error, token, attempt, url)
      const durationMs = runtime.monotonicMs() - startMs
      emit({ type: 'call_failed', ...call, message: failure.message, durationMs })
      throw failure
    }
  }

  async #read(token: string, response: Response, attempt: number): Promise<Value> {
    try {
      const { origin, pathname } = this.#request.url
      const asked = `${this.#method} ${origin}${pathname}`
      return await this.#request.read(response, (text) => withoutSecrets(text, [token]), asked)
    } catch (error) {
      // The reader of the answer reports its own errors.
      if (error instanceof ClientError) throw error
      throw apiUnreachableError(error, token, attempt, this.#request.url)
    }
  }
}

const maxRefusalBytes = 8192

const maxRedirects = 5
export const redirectStatuses = new Set([301, 302, 303, 307, 308])
const safeMethods = new Set(['GET', 'HEAD'])
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization']

type Request = RequestInit & { readonly method: string; readonly headers: Headers }

type RedirectResult = {
  readonly response: Response
  /** True if the answer comes from the first origin, which received the credentials. */
  readonly isFromOrigin: boolean
}

/**
 * Sends a request and follows its redirects, because runtimes differ in the headers that they keep.
 * The first redirect to another origin removes the credentials. A request that is not safe is not
 * redirected: the redirect is the answer.
 *
 * @see RFC 9700 section 4.9.1
 */
async function followRedirects(
  { fetch, createHeaders }: Pick<Runtime, 'fetch' | 'createHeaders'>,
  from: URL,
  request: Request,
): Promise<RedirectResult> {
  const headers = createHeaders(request.headers)
  let url = from
  let isFromOrigin = true
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url.href, { ...request, headers, redirect: 'manual' })
    const location = response.headers.get('location')
    if (
      !redirectStatuses.has(response.status) ||
      location === null ||
      !safeMethods.has(request.method)
    ) {
      return { response, isFromOrigin }
    }
    await response.body?.cancel()
    const next = URL.parse(location, url)
    if (next === null || !isSecureUrl(next)) throw new Error('redirected to a URL without TLS')
    if (redirects === maxRedirects) throw new Error(`redirected more than ${maxRedirects} times`)
    if (next.origin !== from.origin) {
      isFromOrigin = false
      for (const name of credentialHeaders) headers.delete(name)
    }
    url = next
  }
}
