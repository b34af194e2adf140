import { isGuid } from '../directory/guid.ts'

/** What ties an answer to the log, and to the log of the client. */
export type CorrelationIds = {
  /** Ours: `x-ms-request-id` and `trace_id`. */
  readonly traceId: string
  /** The client's, when it sent a GUID; else ours as well. */
  readonly correlationId: string
  readonly at: Date
}

/**
 * Begins the trace of a request.
 *
 * @param clientRequestIds What the client gave as `client-request-id`, the best place first.
 */
export function createCorrelationIds(
  clientRequestIds: readonly (string | null | undefined)[],
  at: Date,
  newGuid: () => string,
): CorrelationIds {
  const given = clientRequestIds.find((id) => id != null && isGuid(id))
  return { traceId: newGuid(), correlationId: given ?? newGuid(), at }
}
