import type { GuardEvent } from '@greeting/guard'
import type { Tracing } from '@greeting/tracing'

/** Adds a decision of the guard to the span of its request. No event contains a token. */
export function annotateDecision(tracing: Tracing, event: GuardEvent): void {
  if (event.type === 'admitted') {
    tracing.annotate({ 'greeting.decision': 'admitted', 'greeting.remembered': event.isCached })
  } else if (event.type === 'refused') {
    tracing.annotate({ 'greeting.decision': 'refused', 'greeting.reason': event.reason })
  }
}
