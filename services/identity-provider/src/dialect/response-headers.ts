import type { CorrelationIds } from './correlation-ids.ts'

/** Headers of every answer of a token endpoint, refusals included. */
export const tokenResponseHeaders = (
  { traceId, correlationId }: CorrelationIds,
  echoesClientRequestId: boolean,
): Record<string, string> => ({
  'cache-control': 'no-store, no-cache',
  pragma: 'no-cache',
  expires: '-1',
  'content-type': 'application/json; charset=utf-8',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  p3p: 'CP="DSP CUR OTPi IND OTRi ONL FIN"',
  'x-ms-request-id': traceId,
  'x-ms-ests-server': 'Greeting identity provider',
  'x-ms-clitelem': '1,0,0,,',
  ...(echoesClientRequestId && { 'client-request-id': correlationId }),
})

/** Headers of documents that any page may read. */
export const documentHeaders = (maxAgeSeconds: number): Record<string, string> => ({
  'cache-control': `max-age=${maxAgeSeconds}, private`,
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
})
