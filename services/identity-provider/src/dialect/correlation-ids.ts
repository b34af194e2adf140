import { isGuid } from '../directory/guid.ts'

/** The IDs that connect an answer with the logs of the server and of the client. */
export type CorrelationIds = {
  /** Created by this server: `x-ms-request-id` and `trace_id`. */
  readonly traceId: string
  /** The client's, if it sent a GUID; otherwise equal to the request ID. */
  readonly correlationId: string
  readonly at: Date
}

/**
 * Creates the correlation IDs of a request.
 *
 * @param clientRequestIds values of `client-request-id`, in the order of preference
 */
export function createCorrelationIds(
  clientRequestIds: readonly (string | null | undefined)[],
  at: Date,
  newGuid: () => string,
): CorrelationIds {
  const given = clientRequestIds.find((id) => id != null && isGuid(id))
  return { traceId: newGuid(), correlationId: given ?? newGuid(), at }
}
