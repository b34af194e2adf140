import type { ClientAuthentication, Credential } from '../credentials/credential.ts'
import { ClientError } from '../errors.ts'
import type { OnEvent } from '../events.ts'
import type { Attempt } from '../http/retry.ts'
import { safeCause, withoutSecrets } from '../redaction.ts'
import type { Runtime } from '../runtime.ts'
import type { Trace } from '../tracing.ts'
import { requestToken, type TokenRequest } from './token-endpoint.ts'
import { nonsenseError, refusedError, unavailableError, unreachableError } from './token-errors.ts'
import { readTokenResponse, type TokenResult } from './token-response.ts'

export type IssuedToken = { readonly token: string; readonly lifetimeSeconds: number }

/** What a token exchange needs of its surroundings. */
export type TokenRequesterContext = {
  readonly runtime: Runtime
  readonly emit: OnEvent
  readonly trace: Trace
}

// A credential that names ever new proofs must not become a flood of requests.
const mostProofs = 5
// The header `Date` counts whole seconds, and an answer may have been on its way for some.
const toleratedSkewMs = 10_000

type Failed = Exclude<TokenResult, { kind: 'granted' }>
type Unavailable = Extract<TokenResult, { kind: 'unavailable' }>

const isCredentialRefused = (verdict: Failed) =>
  verdict.kind === 'refused' && verdict.words.oauthError === 'invalid_client'

/**
 * Exchanges a credential for a token. It remembers the proof that worked last, which it tries first;
 * how far the server's clock is from ours; and until when the server wants to be left alone.
 */
export class TokenRequester {
  readonly #request: TokenRequest
  readonly #credential: Credential
  readonly #surroundings: TokenRequesterContext
  #acceptedProofId: string | undefined
  #skewMs = 0
  #quietUntilMonotonicMs = Number.NEGATIVE_INFINITY
  #lastUnavailable: Unavailable | undefined

  constructor(request: TokenRequest, credential: Credential, surroundings: TokenRequesterContext) {
    this.#request = request
    this.#credential = credential
    this.#surroundings = surroundings
  }

  /**
   * One attempt: an end when there is a token, or a refusal thrown; else a fault that may pass.
   * When a proof is refused, the credential's others follow within the same attempt.
   */
  async attempt(signal: AbortSignal, attempts: number): Promise<Attempt<IssuedToken>> {
    const quietMs = this.#quietUntilMonotonicMs - this.#surroundings.runtime.monotonicMs()
    if (this.#lastUnavailable !== undefined && quietMs > 0) {
      return unavailable({ ...this.#lastUnavailable, retryAfterMs: quietMs }, attempts)
    }
    const tried = new Set<string>()
    let clockMended = false
    for (;;) {
      const skewMs = this.#skewMs
      const [proof] = await this.#untried(tried)
      if (proof === undefined) throw unreadable('it is empty')
      tried.add(proof.id)
      const verdict = await this.#ask(proof, signal, attempts)
      if (verdict instanceof ClientError) return { done: false, error: verdict }
      if (verdict.kind === 'granted') {
        this.#accept(proof)
        return { done: true, value: verdict }
      }
      if (isCredentialRefused(verdict)) {
        const clockWasWrong = Math.abs(this.#skewMs - skewMs) > toleratedSkewMs
        if (this.#credential.kind === 'certificate' && clockWasWrong && !clockMended) {
          clockMended = true
          tried.delete(proof.id)
          continue
        }
        if (tried.size < mostProofs && (await this.#untried(tried)).length > 0) continue
      }
      return this.#failed(verdict, attempts)
    }
  }

  #failed(verdict: Failed, attempts: number): Attempt<IssuedToken> {
    if (verdict.kind === 'refused') throw refusedError(verdict)
    if (verdict.kind === 'unavailable') {
      const { retryAfterMs = 0 } = verdict
      this.#quietUntilMonotonicMs = this.#surroundings.runtime.monotonicMs() + retryAfterMs
      this.#lastUnavailable = verdict
      return unavailable(verdict, attempts)
    }
    if (!verdict.mayPass) throw nonsenseError(verdict)
    return { done: false, error: nonsenseError(verdict) }
  }

  async #ask(
    proof: ClientAuthentication,
    signal: AbortSignal,
    attempt: number,
  ): Promise<TokenResult | ClientError> {
    const { runtime, trace } = this.#surroundings
    const sentMs = runtime.wallClockMs()
    const { answer, secrets } = requestToken(
      this.#request,
      proof.authenticate,
      { fetch: runtime.fetch, trace, attempt },
      signal,
    )
    try {
      const received = await answer
      const nowMs = runtime.wallClockMs()
      this.#measureSkew(received.headers, (sentMs + nowMs) / 2)
      return readTokenResponse(received, nowMs, (text) => withoutSecrets(text, secrets))
    } catch (error) {
      return unreachableError(error, secrets, attempt)
    }
  }

  #measureSkew(headers: Headers, halfwayMs: number): void {
    const serverMs = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(serverMs)) return
    const skewMs = serverMs - halfwayMs
    const before = this.#skewMs
    this.#skewMs = Math.abs(skewMs) > toleratedSkewMs ? skewMs : 0
    if (Math.abs(this.#skewMs - before) > toleratedSkewMs) {
      const skewSeconds = Math.round(skewMs / 1000)
      this.#surroundings.emit({ type: 'clock_skewed', skewSeconds })
    }
  }

  #accept({ id }: ClientAuthentication): void {
    if (this.#acceptedProofId !== undefined && this.#acceptedProofId !== id) {
      this.#surroundings.emit({ type: 'credential_switched' })
    }
    this.#acceptedProofId = id
  }

  async #untried(tried: ReadonlySet<string>): Promise<readonly ClientAuthentication[]> {
    const rank = ({ id }: ClientAuthentication) => (id === this.#acceptedProofId ? 0 : 1)
    const nowMs = this.#surroundings.runtime.wallClockMs() + this.#skewMs
    const { tokenEndpoint } = this.#request
    const context = { tokenEndpoint, nowSeconds: Math.floor(nowMs / 1000) }
    try {
      const proofs = await this.#credential.authentications(context)
      return proofs.filter(({ id }) => !tried.has(id)).sort((a, b) => rank(a) - rank(b))
    } catch (error) {
      const cause = safeCause(error, [])
      throw unreadable(cause.message, cause)
    }
  }
}

function unavailable(verdict: Unavailable, attempts: number): Attempt<IssuedToken> {
  const error = unavailableError(verdict, attempts)
  return { done: false, error, retryAfterMs: verdict.retryAfterMs }
}

function unreadable(reason: string, cause?: Error): ClientError {
  const message = `The credential could not be read: ${reason}`
  return new ClientError('credential_unreadable', message, {}, { cause })
}
