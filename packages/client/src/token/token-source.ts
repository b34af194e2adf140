// Folder: Requests tokens, and caches them until they need renewal.

import type { IssuedToken } from '../credentials/credential.ts'
import type { ClientError } from '../errors.ts'
import { noTrace, type OnEvent, safeListener } from '../hooks.ts'
import { withinRequestLimit } from '../http/request-limit.ts'
import { type Attempt, type Backoff, pauseMs, retryUntilDeadline } from '../http/retry.ts'
import { untilAborted } from '../http/until-aborted.ts'
import { isTimeout } from '../network-fault.ts'
import { type Runtime, systemRuntime } from '../runtime.ts'
import {
  type CachedToken,
  createCachedToken,
  isRenewalDue,
  isUsable,
  SharedTokenStore,
} from './token-cache.ts'
import type { TokenRequest } from './token-endpoint.ts'
import { unreachableError } from './token-errors.ts'
import { TokenRequester } from './token-requester.ts'
import {
  type SourceOptions,
  type TokenSourceOptions,
  tokenEndpointOf,
} from './token-source-options.ts'

/** The options of one call of `token()`. */
export type TokenOptions = {
  /** Ends the wait of this caller. A shared request continues. */
  readonly signal?: AbortSignal | undefined
  /** Obtain a new token even if the cached one is usable. */
  readonly force?: boolean | undefined
}

/** Obtains, keeps and renews the tokens of one client for one scope. */
export type TokenSource = {
  /** Returns an access token that is valid for at least the margin. */
  readonly token: (options?: TokenOptions) => Promise<string>
  /** Drops a refused token, unless it was replaced in the meantime. */
  readonly drop: (token: string) => void
}

// No caller waits for a renewal in the background, so its pauses are longer.
const betweenRenewals: Backoff = { firstMs: 2_000, maxMs: 60_000 }
const minRenewalPauseMs = 1_000

class CachedTokenSource implements TokenSource {
  readonly #requester: TokenRequester
  readonly #runtime: Runtime
  readonly #emit: OnEvent
  readonly #marginMs: number
  readonly #limits: { readonly deadlineMs: number; readonly attemptTimeoutMs: number }
  readonly #origin: string
  readonly #maxRequestsInFlight: number
  readonly #sharedStore: SharedTokenStore | undefined
  #cached: CachedToken | undefined
  #refusedToken: string | undefined
  #pending: Promise<string> | undefined
  #renewal: Promise<void> | undefined
  #renewalFailures = 0
  #nextRenewalMonotonicMs = Number.NEGATIVE_INFINITY
  /** Why the last attempts brought no token. */
  failure: ClientError | undefined

  constructor(options: Omit<SourceOptions, 'clientId'>, request: TokenRequest) {
    const { tokenEndpoint, clientId, scope = '', resource } = request
    const { credential, marginSeconds = 30, cache } = options
    const { deadlineMs = 10_000, attemptTimeoutMs = 5_000, trace = noTrace } = options
    this.#runtime = { ...systemRuntime, ...options.runtime }
    this.#emit = safeListener(options.onEvent)
    const context = { runtime: this.#runtime, emit: this.#emit, trace }
    this.#requester = new TokenRequester(request, credential, context)
    this.#marginMs = marginSeconds * 1000
    this.#limits = { deadlineMs, attemptTimeoutMs }
    this.#origin = new URL(tokenEndpoint).origin
    this.#maxRequestsInFlight = options.maxRequestsInFlight ?? 16
    const keyParts = [tokenEndpoint, clientId, scope, credential.identity()]
    if (resource !== undefined) keyParts.push(resource)
    this.#sharedStore = cache && new SharedTokenStore(cache, keyParts, this.#runtime, this.#emit)
  }

  async token({ signal, force = false }: TokenOptions = {}): Promise<string> {
    signal?.throwIfAborted()
    const cached = this.#cached
    if (force || cached === undefined || !this.#isUsable(cached))
      return untilAborted(this.#obtain(force), signal)
    if (isRenewalDue(cached, this.#runtime)) this.#renewInBackground()
    return cached.token
  }

  drop(token: string): void {
    this.#refusedToken = token
    if (this.#cached?.token !== token) return
    this.#cached = undefined
    this.#emit({ type: 'token_dropped' })
  }

  #isUsable(cached: CachedToken): boolean {
    return cached.token !== this.#refusedToken && isUsable(cached, this.#marginMs, this.#runtime)
  }

  /** All callers share one request in flight. */
  #obtain(force: boolean): Promise<string> {
    this.#pending ??= this.#obtainOnce(force).finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #obtainOnce(force: boolean): Promise<string> {
    // A renewal in flight may bring the token, so that a second request is not needed.
    const before = this.#cached
    await this.#renewal
    const renewed = this.#cached
    if (renewed !== undefined && renewed !== before && this.#isUsable(renewed)) return renewed.token

    const store = this.#sharedStore
    if (store === undefined) return this.#request()
    if (force) return store.exclusively(() => this.#request())
    const found = await this.#readSharedToken(store)
    return (
      found ??
      store.exclusively(async () => (await this.#readSharedToken(store)) ?? this.#request())
    )
  }

  /** The usable token of another process in the shared cache. */
  async #readSharedToken(store: SharedTokenStore): Promise<string | undefined> {
    const found = await store.read()
    return found !== undefined && this.#isUsable(found) ? this.#adopt(found) : undefined
  }

  #adopt(found: CachedToken): string {
    this.#cached = found
    this.#emit({ type: 'token_obtained', from: 'cache', lifetimeSeconds: found.lifetimeMs / 1000 })
    return found.token
  }

  /** True if another process renewed the token. */
  async #adoptRenewed(): Promise<boolean> {
    const found = await this.#sharedStore?.read()
    if (found === undefined || found.token === this.#cached?.token) return false
    if (!this.#isUsable(found) || isRenewalDue(found, this.#runtime)) return false
    this.#adopt(found)
    return true
  }

  async #request(): Promise<string> {
    const issued = await retryUntilDeadline(
      this.#runtime,
      this.#limits,
      ({ number, deadline, requestSignal }) =>
        this.#attempt(deadline, requestSignal, number, false),
    )
    return this.#store(issued)
  }

  async #store({ token, lifetimeSeconds }: IssuedToken): Promise<string> {
    const cached = createCachedToken(token, lifetimeSeconds, this.#runtime)
    this.#cached = cached
    this.failure = undefined
    // A server may issue a refused token again. Then it is used.
    this.#refusedToken = undefined
    this.#renewalFailures = 0
    this.#emit({ type: 'token_obtained', from: 'server', lifetimeSeconds })
    await this.#sharedStore?.write(cached)
    return token
  }

  async #attempt(
    deadline: AbortSignal,
    requestSignal: () => AbortSignal,
    attempt: number,
    background: boolean,
  ): Promise<Attempt<IssuedToken>> {
    const outcome = await this.#send(deadline, requestSignal, attempt)
    if (!outcome.done) {
      if (!isTimeout(outcome.error.details)) this.failure = outcome.error
      const { code, message } = outcome.error
      this.#emit({ type: 'token_request_failed', code, message, attempt, background })
    }
    return outcome
  }

  /** Sends a request when the limit admits it. Its timeout starts then. */
  async #send(
    deadline: AbortSignal,
    requestSignal: () => AbortSignal,
    attempt: number,
  ): Promise<Attempt<IssuedToken>> {
    let isSent = false
    try {
      return await withinRequestLimit(
        this.#runtime.fetch,
        this.#origin,
        this.#maxRequestsInFlight,
        deadline,
        () => {
          isSent = true
          return this.#requester.attempt(requestSignal(), attempt)
        },
      )
    } catch (error) {
      if (isSent) throw error
      return { done: false, error: unreachableError(error, [], attempt - 1, new URL(this.#origin)) }
    }
  }

  /** One attempt. Its failure is no error yet, because the old token is still usable. */
  #renewInBackground(): void {
    const isTooSoon = this.#runtime.monotonicMs() < this.#nextRenewalMonotonicMs
    if (isTooSoon || this.#renewal || this.#pending) return
    this.#renewal = this.#renew().finally(() => {
      this.#renewal = undefined
    })
  }

  async #renew(): Promise<void> {
    let retryAfterMs = 0
    try {
      if (await this.#adoptRenewed()) return
      const { deadlineMs, attemptTimeoutMs } = this.#limits
      const deadline = this.#runtime.timeoutSignal(deadlineMs)
      const requestSignal = () => this.#runtime.timeoutSignal(attemptTimeoutMs)
      const outcome = await this.#attempt(deadline, requestSignal, 1, true)
      if (outcome.done) {
        await this.#store(outcome.value)
        return
      }
      retryAfterMs = outcome.retryAfterMs ?? 0
    } catch {
      // A `trace` hook or a credential may throw. The next token request reports it.
    }
    this.#renewalFailures += 1
    const random = this.#runtime.random()
    const pause = pauseMs(this.#renewalFailures, random, retryAfterMs, betweenRenewals)
    this.#nextRenewalMonotonicMs = this.#runtime.monotonicMs() + Math.max(pause, minRenewalPauseMs)
  }
}

/**
 * Creates a token source for one client and one scope. `token()` obtains an access token by the
 * client credentials grant, keeps it, and renews it in the background before it expires.
 *
 * The token is opaque: its content is never read.
 *
 * @throws {TypeError} lists every invalid option
 * @see RFC 6749 section 4.4
 * @example
 * const tokens = createTokenSource({
 *   authority: 'https://login.microsoftonline.com/8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11',
 *   clientId: '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a01',
 *   credential: clientSecret('the value that was shown once'),
 *   scope: 'api://3f2a7d4e-5b6c-4d7e-8f90-a1b2c3d4e5f6/.default',
 * })
 * const token = await tokens.token()
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { clientId, scope } = options
  return createSourceOf(options, { tokenEndpoint: tokenEndpointOf(options), clientId, scope })
}

/** Creates a token source for a request that is valid. */
export function createSourceOf(
  options: Omit<SourceOptions, 'clientId'>,
  request: TokenRequest,
): TokenSource {
  const source = new CachedTokenSource(options, request)
  // Functions without `this`, so that callers can pass them on.
  const functions: TokenSource = {
    token: (tokenOptions) => source.token(tokenOptions),
    drop: (token) => source.drop(token),
  }
  sources.set(functions, source)
  return functions
}

const sources = new WeakMap<TokenSource, CachedTokenSource>()

/** Returns the reason why the last attempts of a source failed, because the deadline of a call would hide it. */
export const lastFailureOf = (tokens: TokenSource): ClientError | undefined =>
  sources.get(tokens)?.failure
