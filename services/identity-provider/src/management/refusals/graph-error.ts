import { type RefusalName, refusals } from './refusals.ts'

/** One property that caused a refusal. */
export type ErrorDetail = {
  readonly code: string
  readonly target: string
  readonly message: string
}

/** A refusal of a management API. The caller reads `message`. */
export class GraphError extends Error {
  readonly code = 'graph_refusal'
  override readonly name = 'GraphError'
  readonly refusal: RefusalName
  readonly details: readonly ErrorDetail[]
  /** Where the client starts again; undefined for most refusals. */
  readonly location: string | undefined

  constructor(
    refusal: RefusalName,
    message: string,
    {
      details = [],
      location,
      ...options
    }: ErrorOptions & { details?: readonly ErrorDetail[]; location?: string } = {},
  ) {
    super(message, options)
    this.refusal = refusal
    this.details = details
    this.location = location
  }
}

/**
 * Creates a refusal from its row in the table. It never throws: an operation throws the value, and
 * only `createOperationsApp` catches it.
 *
 * @param values the parts of the row's sentence
 */
export function refuse<Name extends RefusalName>(
  name: Name,
  ...values: Parameters<(typeof refusals)[Name]['sentence']>
): GraphError {
  const sentence: (...values: string[]) => string = refusals[name].sentence
  return new GraphError(name, sentence(...values))
}

/** The IDs that correlate a request with its response, in the logs of client and server. */
export type RequestIds = {
  readonly requestId: string
  /** The GUID that the client sent; else the request ID. */
  readonly clientRequestId: string
  readonly at: Date
}

/**
 * A refusal in Microsoft Graph's error envelope.
 *
 * @see https://learn.microsoft.com/graph/errors
 */
export const errorEnvelope = (
  { refusal, message, details }: GraphError,
  { requestId, clientRequestId, at }: RequestIds,
) => ({
  error: {
    code: refusals[refusal].code,
    message,
    ...(details.length === 0 ? {} : { details }),
    innerError: {
      date: at.toISOString().slice(0, 19),
      'request-id': requestId,
      'client-request-id': clientRequestId,
    },
  },
})
