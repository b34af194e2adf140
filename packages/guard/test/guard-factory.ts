import assert from 'node:assert/strict'
import { createGuard, type Decision, type GuardOptions, type RequiredRole } from '../src/index.ts'
import type { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { optionsWith, type Role } from './token-factory.ts'

/**
 * A guard in a virtual runtime, and two functions that decide about a token: `decide` returns a promise
 * only when the guard does, and `ask` always.
 */
export const guardIn = (environment: VirtualRuntime, changes: Partial<GuardOptions<Role>> = {}) => {
  const guard = createGuard(optionsWith(changes), environment)
  const decide = (
    token: string,
    role: RequiredRole<Role> = 'CallHiApiRole',
    certificateThumbprint?: string,
  ) =>
    guard.decide({ authorization: `Bearer ${token}`, target: '/hi', certificateThumbprint }, role)
  const ask = async (...of: Parameters<typeof decide>): Promise<Decision<Role>> => decide(...of)
  return { guard, decide, ask }
}

/** The outcome of a decision, as one word. */
export const reasonOf = (decision: Decision) =>
  decision.outcome === 'admitted' ? 'admitted' : decision.reason

/** The result is unknown: 503 with retry-after, without a statement about the token. */
export function assertUnavailable(decision: Decision): void {
  assert.equal(reasonOf(decision), 'keys_unavailable')
  assert.ok(decision.outcome === 'refused' && decision.status === 503)
  assert.match(decision.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.equal(decision.headers['www-authenticate'], undefined)
}
