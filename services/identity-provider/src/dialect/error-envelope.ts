import type { Refusal } from '../refusals/refusal.ts'
import { rowOf } from '../refusals/refusal-table.ts'
import type { CorrelationIds } from './correlation-ids.ts'

/** The body of every refusal, with the same members as in Entra, in the same order (entra E85). */
export type ErrorEnvelope = {
  readonly error: string
  readonly error_description: string
  readonly error_codes: readonly [number]
  /** `yyyy-MM-dd HH:mm:ssZ` */
  readonly timestamp: string
  readonly trace_id: string
  readonly correlation_id: string
  readonly error_uri?: string
}

/** The status and the body of a refusal. */
export type ErrorAnswer = { readonly status: number; readonly body: ErrorEnvelope }

/**
 * Creates the response to a refused request.
 *
 * @param authUrl the origin of the lookup page for error codes
 * @see RFC 6749 section 5.2
 */
export function errorAnswer(refusal: Refusal, ids: CorrelationIds, authUrl: string): ErrorAnswer {
  const { status, error, code, hasErrorUri, sentence } = rowOf(refusal)
  const { traceId, correlationId } = ids
  const timestamp = ids.at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
  const body = {
    error,
    error_description: `AADSTS${code}: ${printable(sentence)} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
    error_codes: [code],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    ...(hasErrorUri && { error_uri: `${authUrl}/error?code=${code}` }),
  } as const
  return { status, body }
}

const maxSentenceLength = 1024

// The sentence may contain text of the client. RFC 6749 section 5.2 allows only these characters.
const printable = (sentence: string) =>
  sentence.slice(0, maxSentenceLength).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
