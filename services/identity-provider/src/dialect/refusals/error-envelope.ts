import type { CorrelationIds } from '../correlation-ids.ts'
import { rowOf } from './refusal-table.ts'
import type { Refusal } from './request-refusal.ts'

/** The body of every refusal, members in the order of Entra (entra E85). */
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

/**
 * A refusal as it goes over the wire.
 *
 * @param authUrl The origin that the lookup page of error codes is at.
 * @see RFC 6749 §5.2
 */
export function errorEnvelope(
  refusal: Refusal,
  trace: CorrelationIds,
  authUrl: string,
): ErrorEnvelope {
  const { error, code, hasErrorUri, sentence } = rowOf(refusal)
  const { traceId, correlationId } = trace
  const timestamp = trace.at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
  return {
    error,
    error_description: `AADSTS${code}: ${printable(sentence)} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
    error_codes: [code],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    ...(hasErrorUri && { error_uri: `${authUrl}/error?code=${code}` }),
  }
}

const longestSentence = 1024

// What a client sent may be in the sentence: RFC 6749 §5.2 says which characters may leave.
const printable = (sentence: string) =>
  sentence.slice(0, longestSentence).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
