import type {
  AuthenticationContext,
  ClientAuthentication,
  Credential,
  IssuedToken,
} from '../credentials/credential.ts'
import { ClientError } from '../errors.ts'
import type { OnEvent, Trace } from '../hooks.ts'
import type { Attempt } from '../http/retry.ts'
import { httpsRequired, isPermanentFault } from '../network-fault.ts'
import { safeCause, withoutSecrets } from '../redaction.ts'
import type { Runtime } from '../runtime.ts'
import { sendTokenRequest, type TokenRequest } from './token-endpoint.ts'
import {
  refusedError,
  unavailableError,
  unreachableError,
  unusableAnswerError,
} from './token-errors.ts'
import { readTokenResponse, type TokenResult } from './token-response.ts'

export type TokenRequesterContext = {
  readonly runtime: Runtime
  readonly emit: OnEvent
  readonly trace: Trace
}

// A credential may offer new authentications without end. Their requests must not become a flood.
const maxAuthentications = 5
// The header `Date` has whole seconds, and an answer may take some seconds to arrive.
const toleratedSkewMs = 10_000

type Failure = Exclude<TokenResult, { kind: 'issued' }>
type Unavailable = Extract<TokenResult, { kind: 'unavailable' }>
type Outcome = Attempt<IssuedToken>
type FailedOutcome = Extract<Outcome, { done: false }>

/** The outcomes of other token requests, by their errors. A credential may wait for the request of another requester. */
const otherOutcomes = new WeakMap<object, FailedOutcome>()

const isCredentialRefused = (result: TokenResult) =>
  result.kind === 'refused' && result.details.oauthError === 'invalid_client'

/**
 * Requests tokens with one credential. It remembers the authentication that worked last, the
 * difference between the two clocks, and the pause that the server requested.
 */
export class TokenRequester {
  readonly #request: TokenRequest
  readonly #credential: Credential
  readonly #context: TokenRequesterContext
  #acceptedAuthenticationId: string | undefined
  #skewMs = 0
  #blockedUntilMonotonicMs = Number.NEGATIVE_INFINITY
  #lastUnavailable: Unavailable | undefined
  readonly #others = new WeakMap<Credential, Map<string, TokenRequester>>()

  constructor(request: TokenRequest, credential: Credential, context: TokenRequesterContext) {
    this.#request = request
    this.#credential = credential
    this.#context = context
  }

  /**
   * One attempt. If an authentication is refused, the others of the credential follow within the same attempt.
   *
   * @returns the token, or the error and whether it is permanent; it does not throw
   */
  async attempt(signal: AbortSignal, attempts: number): Promise<Attempt<IssuedToken>> {
    return this.#blocked(attempts) ?? this.#authenticate(signal, attempts)
  }

  /** The last failure again, during the pause that the server requested. */
  #blocked(attempts: number): Outcome | undefined {
    const retryAfterMs = this.#blockedUntilMonotonicMs - this.#context.runtime.monotonicMs()
    if (this.#lastUnavailable === undefined || retryAfterMs <= 0) return undefined
    return outcomeOf(
      { ...this.#lastUnavailable, retryAfterMs },
      attempts,
      this.#request.tokenEndpoint,
    )
  }

  /** Tries the authentications of the credential until one is not refused. */
  async #authenticate(signal: AbortSignal, attempts: number): Promise<Outcome> {
    const tried = new Set<string>()
    let isCorrected = false
    for (;;) {
      const skewMs = this.#skewMs
      const untried = await this.#untried(tried, signal, attempts)
      if ('done' in untried) return untried
      const [authentication] = untried
      if (authentication === undefined) return permanent(unreadableError('it is empty'))
      tried.add(authentication.id)
      const result = await this.#send(authentication, signal, attempts)
      if (result instanceof ClientError)
        return isPermanentFault(result.details) ? permanent(result) : { done: false, error: result }
      if (result.kind === 'issued') {
        this.#accept(authentication)
        return { done: true, value: result }
      }
      if (isCredentialRefused(result)) {
        const wasClockWrong = Math.abs(this.#skewMs - skewMs) > toleratedSkewMs
        const isClockFault = ['certificate', 'key'].includes(this.#credential.kind) && wasClockWrong
        if ((isClockFault || authentication.discard) && !isCorrected) {
          isCorrected = true
          authentication.discard?.()
          tried.delete(authentication.id)
          continue
        }
        if (tried.size < maxAuthentications) {
          const others = await this.#untried(tried, signal, attempts)
          if ('done' in others) return others
          if (others.length > 0) continue
        }
      }
      if (result.kind === 'unavailable') this.#block(result)
      return outcomeOf(result, attempts, this.#request.tokenEndpoint)
    }
  }

  #block(result: Unavailable): void {
    const { retryAfterMs = 0 } = result
    this.#blockedUntilMonotonicMs = this.#context.runtime.monotonicMs() + retryAfterMs
    this.#lastUnavailable = result
  }

  async #send(
    { authenticate }: ClientAuthentication,
    signal: AbortSignal,
    attempt: number,
  ): Promise<TokenResult | ClientError> {
    const { runtime, trace } = this.#context
    const sentMs = runtime.wallClockMs()
    const context = { fetch: runtime.fetch, trace, attempt }
    const { answer, secrets } = sendTokenRequest(this.#request, authenticate, context, signal)
    const url = new URL(this.#request.tokenEndpoint)
    try {
      const response = await answer
      const wrongScheme = httpsRequired(response.status, String(response.body), url)
      if (wrongScheme) throw wrongScheme
      const nowMs = runtime.wallClockMs()
      this.#measureSkew(response.headers, (sentMs + nowMs) / 2)
      return readTokenResponse(response, nowMs, (text) => withoutSecrets(text, secrets))
    } catch (error) {
      return unreachableError(error, secrets, attempt, url)
    }
  }

  #measureSkew(headers: Headers, halfwayMs: number): void {
    const serverMs = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(serverMs)) return
    const skewMs = serverMs - halfwayMs
    const before = this.#skewMs
    this.#skewMs = Math.abs(skewMs) > toleratedSkewMs ? skewMs : 0
    if (Math.abs(this.#skewMs - before) > toleratedSkewMs)
      this.#context.emit({ type: 'clock_skewed', skewSeconds: Math.round(skewMs / 1000) })
  }

  #accept({ id }: ClientAuthentication): void {
    if (this.#acceptedAuthenticationId !== undefined && this.#acceptedAuthenticationId !== id)
      this.#context.emit({ type: 'credential_switched' })
    this.#acceptedAuthenticationId = id
  }

  /** The authentications to try, the last accepted one first. */
  async #untried(
    tried: ReadonlySet<string>,
    signal: AbortSignal,
    attempts: number,
  ): Promise<readonly ClientAuthentication[] | FailedOutcome> {
    const rank = ({ id }: ClientAuthentication) => (id === this.#acceptedAuthenticationId ? 0 : 1)
    const nowMs = this.#context.runtime.wallClockMs() + this.#skewMs
    const { tokenEndpoint, metadata } = this.#request
    const server = { tokenEndpoint, ...(metadata && { metadata }) }
    const context: AuthenticationContext = {
      tokenEndpoint,
      issuer: metadata?.issuer,
      nowSeconds: Math.floor(nowMs / 1000),
      otherToken: async (request, credential) => {
        const other = this.#otherRequester({ ...server, ...request }, credential)
        const outcome = await other.attempt(signal, attempts)
        if (outcome.done) return outcome.value
        otherOutcomes.set(outcome.error, outcome)
        throw outcome.error
      },
    }
    try {
      const authentications = await this.#credential.authentications(context)
      return authentications.filter(({ id }) => !tried.has(id)).sort((a, b) => rank(a) - rank(b))
    } catch (error) {
      const outcome = otherOutcomes.get(Object(error))
      if (outcome) return outcome
      const cause = safeCause(error, [])
      return permanent(unreadableError(cause.message, cause))
    }
  }

  /** Each one remembers its clock difference, its accepted secret and the pauses of the server. */
  #otherRequester(request: TokenRequest, credential: Credential): TokenRequester {
    const key = JSON.stringify(request)
    const known = this.#others.get(credential) ?? new Map<string, TokenRequester>()
    this.#others.set(credential, known)
    const other = known.get(key) ?? new TokenRequester(request, credential, this.#context)
    known.set(key, other)
    return other
  }
}

const permanent = (error: ClientError): FailedOutcome => ({ done: false, error, isPermanent: true })

/** One row for each kind of failure: its error, and whether another attempt may succeed. */
function outcomeOf(failure: Failure, attempts: number, url: string): Outcome {
  switch (failure.kind) {
    case 'refused':
      return permanent(refusedError(failure))
    case 'unusable': {
      const error = unusableAnswerError(failure, url)
      return failure.isTransient ? { done: false, error } : permanent(error)
    }
    case 'unavailable': {
      const error = unavailableError(failure, attempts)
      return { done: false, error, retryAfterMs: failure.retryAfterMs }
    }
  }
}

function unreadableError(reason: string, cause?: Error): ClientError {
  const message = `The credential could not be read: ${reason}`
  const isSystemError = cause === undefined || 'code' in cause
  const remedy = isSystemError ? undefined : 'Correct the credential, or the file that has it.'
  return new ClientError('credential_unreadable', message, {}, { cause, remedy })
}
