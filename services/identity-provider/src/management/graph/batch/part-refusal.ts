import { errorEnvelope, type GraphError } from '../../http/graph-error.ts'
import type { RequestCall } from '../../http/operation.ts'
import { refusalRow } from '../../http/refusals.ts'

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
