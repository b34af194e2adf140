import { ClientError } from '../errors.ts'
import { type OnEvent, safeListener } from '../events.ts'
import { type Backoff, pauseMs, retryUntilDeadline } from '../http/retry.ts'
import { untilAborted } from '../http/until-aborted.ts'
import { type Runtime, realRuntime } from '../runtime.ts'
import { untraced } from '../tracing.ts'
import { type CachedToken, createCachedToken, isDue, isGood } from './cached-token.ts'
import { SharedToken } from './token-cache.ts'
import { type IssuedToken, TokenRequester } from './token-request.ts'
import { type TokenSourceOptions, tokenEndpointOf } from './token-source-options.ts'

export type TokenOptions = {
  /** Ends this caller's wait; a request that others wait for goes on. */
  readonly signal?: AbortSignal | undefined
  /** Obtain a new token even if the one in hand is good. */
  readonly force?: boolean | undefined
}

/** Where tokens come from: obtained, kept and renewed for one client and one scope. */
export type TokenSource = {
  /** An access token that is good for at least the margin. */
  readonly token: (options?: TokenOptions) => Promise<string>
  /** Forgets a token that was refused, unless it has been replaced in the meantime. */
  readonly drop: (token: string) => void
}

// Nobody waits for an early renewal, so a failed one may take its time; but not be forgotten.
const betweenRenewals: Backoff = { firstMs: 2_000, longestMs: 60_000 }
const shortestRenewalPauseMs = 1_000

class CachedTokenSource implements TokenSource {
  readonly #exchange: TokenRequester
  readonly #runtime: Runtime
  readonly #emit: OnEvent
  readonly #marginMs: number
  readonly #limits: { readonly deadlineMs: number; readonly attemptTimeoutMs: number }
  readonly #shared: SharedToken | undefined
  #held: CachedToken | undefined
  #refused: string | undefined
  #flight: Promise<string> | undefined
  #renewal: Promise<void> | undefined
  #renewalFailures = 0
  #nextRenewalMonotonicMs = Number.NEGATIVE_INFINITY

  constructor(options: TokenSourceOptions, tokenEndpoint: string) {
    const { clientId, scope, credential, marginSeconds = 30, cache } = options
    const { deadlineMs = 10_000, attemptTimeoutMs = 5_000, trace = untraced } = options
    const request = { tokenEndpoint, clientId, scope }
    this.#runtime = { ...realRuntime, ...options.runtime }
    this.#emit = safeListener(options.onEvent)
    const surroundings = { runtime: this.#runtime, emit: this.#emit, trace }
    this.#exchange = new TokenRequester(request, credential, surroundings)
    this.#marginMs = marginSeconds * 1000
    this.#limits = { deadlineMs, attemptTimeoutMs }
    const keyParts = [tokenEndpoint, clientId, scope, credential.identity()]
    this.#shared = cache && new SharedToken(cache, keyParts, this.#runtime, this.#emit)
  }

  async token({ signal, force = false }: TokenOptions = {}): Promise<string> {
    signal?.throwIfAborted()
    const held = this.#held
    if (force || held === undefined || !this.#isGood(held)) {
      return untilAborted(this.#obtain(force), signal)
    }
    if (isDue(held, this.#runtime)) this.#renewInBackground()
    return held.token
  }

  drop(token: string): void {
    this.#refused = token
    if (this.#held?.token !== token) return
    this.#held = undefined
    this.#emit({ type: 'token_dropped' })
  }

  #isGood(held: CachedToken): boolean {
    return held.token !== this.#refused && isGood(held, this.#marginMs, this.#runtime)
  }

  /** However many callers wait, one request is in flight. */
  #obtain(force: boolean): Promise<string> {
    this.#flight ??= this.#fly(force).finally(() => {
      this.#flight = undefined
    })
    return this.#flight
  }

  async #fly(force: boolean): Promise<string> {
    // A renewal that is under way may bring the token, and two requests would be one too many.
    const before = this.#held
    await this.#renewal
    const renewed = this.#held
    if (renewed !== undefined && renewed !== before && this.#isGood(renewed)) return renewed.token

    const shared = this.#shared
    if (shared === undefined) return this.#request()
    if (force) return shared.exclusively(() => this.#request())
    const found = await this.#find(shared)
    return found ?? shared.exclusively(async () => (await this.#find(shared)) ?? this.#request())
  }

  /** The token that another process has left in the common store, if it is good. */
  async #find(shared: SharedToken): Promise<string | undefined> {
    const found = await shared.read()
    return found !== undefined && this.#isGood(found) ? this.#adopt(found) : undefined
  }

  #adopt(found: CachedToken): string {
    this.#held = found
    this.#emit({ type: 'token_obtained', from: 'cache', lifetimeSeconds: found.lifetimeMs / 1000 })
    return found.token
  }

  /** Whether another process has renewed the token by now. */
  async #adoptRenewed(): Promise<boolean> {
    const found = await this.#shared?.read()
    if (found === undefined || found.token === this.#held?.token) return false
    if (!this.#isGood(found) || isDue(found, this.#runtime)) return false
    this.#adopt(found)
    return true
  }

  async #request(): Promise<string> {
    const grant = await retryUntilDeadline(
      this.#runtime,
      this.#limits,
      ({ number, requestSignal }) => this.#attempt(requestSignal(), number, false),
    )
    return this.#hold(grant)
  }

  async #hold({ token, lifetimeSeconds }: IssuedToken): Promise<string> {
    const held = createCachedToken(token, lifetimeSeconds, this.#runtime)
    this.#held = held
    // A server may hand out the same token again, and then means it.
    this.#refused = undefined
    this.#renewalFailures = 0
    this.#emit({ type: 'token_obtained', from: 'server', lifetimeSeconds })
    await this.#shared?.write(held)
    return token
  }

  async #attempt(signal: AbortSignal, attempt: number, background: boolean) {
    const tell = ({ code, message }: ClientError) =>
      this.#emit({ type: 'token_request_failed', code, message, attempt, background })
    try {
      const outcome = await this.#exchange.attempt(signal, attempt)
      if (!outcome.done) tell(outcome.error)
      return outcome
    } catch (error) {
      if (error instanceof ClientError) tell(error)
      throw error
    }
  }

  /** One attempt; while the old token is good, its failure is nobody's trouble yet. */
  #renewInBackground(): void {
    const tooSoon = this.#runtime.monotonicMs() < this.#nextRenewalMonotonicMs
    if (tooSoon || this.#renewal || this.#flight) return
    this.#renewal = this.#renew().finally(() => {
      this.#renewal = undefined
    })
  }

  async #renew(): Promise<void> {
    let retryAfterMs = 0
    try {
      if (await this.#adoptRenewed()) return
      const timeout = this.#runtime.timeoutSignal(this.#limits.attemptTimeoutMs)
      const outcome = await this.#attempt(timeout, 1, true)
      if (outcome.done) {
        await this.#hold(outcome.value)
        return
      }
      retryAfterMs = outcome.retryAfterMs ?? 0
    } catch {
      // A refusal: told to the caller who needs a new token, should it last until then.
    }
    this.#renewalFailures += 1
    const random = this.#runtime.random()
    const pause = pauseMs(this.#renewalFailures, random, retryAfterMs, betweenRenewals)
    this.#nextRenewalMonotonicMs =
      this.#runtime.monotonicMs() + Math.max(pause, shortestRenewalPauseMs)
  }
}

/**
 * Makes a token source for one client and one scope: `token()` obtains an access token by the
 * client-credentials grant, keeps it, and renews it in the background before it ends.
 *
 * The token is opaque: nothing is decided by looking into it.
 *
 * @throws {TypeError} when options are missing, unknown or wrong; all faults are told together.
 * @see RFC 6749, section 4.4
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
  const source = new CachedTokenSource(options, tokenEndpointOf(options))
  // Functions that stand alone, so that they may be handed on by themselves.
  return {
    token: (tokenOptions) => source.token(tokenOptions),
    drop: (token) => source.drop(token),
  }
}
