import type { Endpoint } from '../faults/endpoint.ts'

/** Where a token request carries the proof of its client. */
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
