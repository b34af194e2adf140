import type { Refusal } from './request-refusal.ts'

/** One refusal as the dialect says it. */
export type RefusalRow<Reason extends Refusal['reason']> = {
  readonly status: 400 | 401 | 405 | 413 | 429 | 500 | 503
  /** The OAuth error code, RFC 6749 §5.2, or one that only the dialect knows. */
  readonly error: string
  /** The number after `AADSTS`. */
  readonly code: number
  /** Whether the answer carries `error_uri`: Entra's lookup page does not know every code (entra E87). */
  readonly hasErrorUri: boolean
  /** The text for the client, without the code and the trace that frame it. */
  readonly sentence: (refusal: Extract<Refusal, { reason: Reason }>) => string
  /** What to do about it: shown by the lookup page and by the reference. */
  readonly remedy: string
}

/** The rows for some refusals, none left out. */
export type RefusalRows<Reason extends Refusal['reason']> = {
  readonly [One in Reason]: RefusalRow<One>
}
