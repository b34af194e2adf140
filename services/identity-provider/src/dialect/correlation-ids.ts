import { isGuid } from '@greeting/directory'

/** The IDs that correlate a response with the logs of the server and of the client. */
export type CorrelationIds = {
  /** Created by this server: `x-ms-request-id` and `trace_id`. */
  readonly traceId: string
  /** The client's, if it sent a GUID; otherwise created by this server, in the order of time. */
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
  return { traceId: newGuid(), correlationId: given ?? inOrderOfTime(newGuid(), at), at }
}

/** One step of the time in a correlation ID. The times start again after 17 years. */
const msPerStep = 128

/**
 * Puts a time into the first digits of a random GUID. An index of such IDs grows at one place. For random
 * IDs, the store of the audit log would read and write another page for each record.
 */
function inOrderOfTime(guid: string, at: Date): string {
  const steps = Math.floor(at.getTime() / msPerStep) >>> 0
  return `${steps.toString(16).padStart(8, '0')}${guid.slice(8)}`
}
