import type { CorrelationIds } from './correlation-ids.ts'

/** The parts of a request that decide headers of the response. */
export type HeaderRequest = {
  readonly ids: CorrelationIds
  /** Whether the header `client-request-id` of the request is repeated. */
  readonly echoesClientRequestId: boolean
}

const everywhere = ({ ids, echoesClientRequestId }: HeaderRequest): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-xss-protection': '0',
  p3p: 'CP="DSP CUR OTPi IND OTRi ONL FIN"',
  'x-ms-request-id': ids.traceId,
  'x-ms-ests-server': 'Greeting identity provider',
  ...(echoesClientRequestId && { 'client-request-id': ids.correlationId }),
})

const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
} as const

const uncached = {
  'cache-control': 'no-store, no-cache',
  pragma: 'no-cache',
  expires: '-1',
} as const

/**
 * The headers of every response of a token endpoint, including refusals.
 *
 * @param code the AADSTS code of a refusal, else 0
 */
export const tokenResponseHeaders = (
  request: HeaderRequest & { readonly hasTelemetry: boolean },
  code = 0,
): Record<string, string> => ({
  ...uncached,
  ...everywhere(request),
  ...(request.hasTelemetry && { 'x-ms-clitelem': `1,${code},0,,` }),
})

/** Headers of documents that any page may read. */
export const documentHeaders = (
  maxAgeSeconds: number,
  request: HeaderRequest,
): Record<string, string> => ({
  'cache-control': `max-age=${maxAgeSeconds}, private`,
  ...everywhere(request),
  ...anyOrigin,
})

export const documentRefusalHeaders = (request: HeaderRequest): Record<string, string> => ({
  ...uncached,
  ...everywhere(request),
  ...anyOrigin,
})
