import assert from 'node:assert/strict'
import { createGuard, type GuardEvent } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { optionsWith, type TokenFactory } from '../token-factory.ts'

/** A guard with virtual clocks, and with a provider on a real socket. */
export function guardAt(url: string) {
  const environment = new VirtualRuntime('')
  const events: GuardEvent[] = []
  let attempts = 0
  let heard = Promise.withResolvers<void>()
  const [issuer] = optionsWith().issuers
  assert.ok(issuer)
  const guard = createGuard(
    optionsWith({
      issuers: [{ ...issuer, keySetUrl: url }],
      listener: (event) => {
        events.push(event)
        if (event.type !== 'key_set_refreshed' && event.type !== 'key_set_refresh_failed') return
        attempts += 1
        heard.resolve()
        heard = Promise.withResolvers()
      },
    }),
    { ...environment, fetch: (...request) => fetch(...request) },
  )
  const ask = async (forge: TokenFactory) =>
    guard.decide({ authorization: `Bearer ${forge.token(times())}`, target: '/' }, 'CallHiApiRole')
  // Tokens are always new, so that only the keys matter.
  const times = () => {
    const now = environment.wallClockMs() / 1000
    return { iat: now - 300, nbf: now - 300, exp: now + 3600 }
  }
  /** Advances the time, and waits for the end of the attempt that becomes due. */
  const passUntilAttempt = async (...seconds: number[]) => {
    const before = attempts
    for (const part of seconds) await environment.pass(part)
    while (attempts === before) await heard.promise
  }
  const failures = () =>
    events.flatMap((event) => (event.type === 'key_set_refresh_failed' ? [event.error.code] : []))
  return { guard, environment, ask, passUntilAttempt, failures }
}
