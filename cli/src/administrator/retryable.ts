import { type ClientFailure, isClientFailure } from '@greeting/client'
import type { GraphRefusalError } from './graph-refusal-error.ts'

/** What of a request decides whether its refusal may pass. */
export type RetryConditions = {
  /** Whether sending it twice does no more than sending it once. */
  readonly repeatable: boolean
  /** Whether it speaks of what was made a moment ago, which the directory may not show everywhere yet. */
  readonly expectsLag: boolean
}

type Row = {
  readonly name: string
  readonly is: (refusal: GraphRefusalError, circumstances: RetryConditions) => boolean
}

const lagSentences =
  /Not a valid reference update|Permission being assigned was not found on application|does not reference a valid application object/

/**
 * The refusals that pass by themselves: a directory that is busy, and one whose replicas have not
 * all heard of a new object.
 *
 * @see https://learn.microsoft.com/graph/throttling
 */
export const retryableRefusals: readonly Row[] = [
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

/** Why a fault may pass, or undefined when it will not. */
export function retryReason(
  fault: GraphRefusalError | ClientFailure,
  circumstances: RetryConditions,
): string | undefined {
  // A connection that broke: the request may have been carried out all the same.
  if (isClientFailure(fault))
    return circumstances.repeatable && fault.code === 'api_unreachable' ? 'unreachable' : undefined
  return retryableRefusals.find(({ is }) => is(fault, circumstances))?.name
}
