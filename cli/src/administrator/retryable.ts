import { type ClientFailure, isClientFailure } from '@greeting/client'
import type { GraphRefusalError } from '@greeting/registrations/apply'

/** The facts about a request that determine whether its refusal is retried. */
type RetryConditions = {
  /** Whether repeating the request has no further effect. */
  readonly repeatable: boolean
  /**
   * Whether it refers to an object that was created just before and may not be visible everywhere
   * yet.
   */
  readonly expectsLag: boolean
}

type Row = {
  readonly name: string
  readonly is: (refusal: GraphRefusalError, circumstances: RetryConditions) => boolean
}

const lagSentences =
  /Not a valid reference update|Permission being assigned was not found on application|does not reference a valid application object/

/**
 * The refusals that are retried: a busy directory, and replicas that lack a new object.
 *
 * @see https://learn.microsoft.com/graph/throttling
 */
const retryableRefusals: readonly Row[] = [
  { name: 'throttled', is: ({ status }) => status === 429 },
  {
    name: 'unavailable',
    is: ({ status }, { repeatable }) => repeatable && [500, 502, 503, 504].includes(status),
  },
  {
    name: 'not found yet',
    is: ({ status }, { expectsLag }) => expectsLag && status === 404,
  },
  {
    name: 'not yet available for references',
    is: ({ status, reason }, { expectsLag }) =>
      expectsLag && status === 400 && lagSentences.test(reason),
  },
  {
    name: 'changed at the same time',
    is: ({ graphCode }, { repeatable }) =>
      repeatable && graphCode === 'Directory_ConcurrencyViolation',
  },
]

/** The reason for a retry, or `undefined` when the error is permanent. */
export function retryReason(
  fault: GraphRefusalError | ClientFailure,
  circumstances: RetryConditions,
): string | undefined {
  // The connection broke, but the directory may have executed the request.
  if (isClientFailure(fault))
    return circumstances.repeatable && fault.code === 'api_unreachable' ? 'unreachable' : undefined
  return retryableRefusals.find(({ is }) => is(fault, circumstances))?.name
}
