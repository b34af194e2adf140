import type { RequestCall } from '../../operations/operation.ts'
import { errorEnvelope, type GraphError } from '../../refusals/graph-error.ts'
import { refusalRow } from '../../refusals/refusals.ts'

/** The answer to a request of a batch that was not sent. */
export const partRefusal = (
  id: string,
  refusal: GraphError,
  { correlationId, runtime }: RequestCall,
) => ({
  id,
  status: refusalRow(refusal.refusal).status,
  headers: { 'content-type': 'application/json' },
  body: errorEnvelope(refusal, {
    requestId: runtime.newGuid(),
    clientRequestId: correlationId,
    at: runtime.now(),
  }),
})
