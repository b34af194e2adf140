import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collectGarbage } from '../measurements/garbage.ts'
import { createGuard, type Decision } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { assertUnavailable, guardIn, reasonOf } from './guard-factory.ts'
import { claimsWith, keySetOf, optionsWith, TokenFactory } from './token-factory.ts'

const known = new TokenFactory('known')
const rotated = new TokenFactory('rotated')

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tail = `.${encode(claimsWith())}.${'A'.repeat(342)}`
/** A token without cost for its sender: well-formed, with a random signature. */
const tokenOf = (kid: string) => encode({ typ: 'JWT', alg: 'RS256', kid }) + tail

const seconds = 60

/** Sends unknown kids during one minute, and counts the outcomes. */
async function flood(
  environment: VirtualRuntime,
  decide: (token: string) => Decision | Promise<Decision>,
  perSecond: number,
) {
  const counts = new Map<string, number>()
  for (let second = 0; second < seconds; second += 1) {
    const answers = Array.from({ length: perSecond }, (_, index) =>
      decide(tokenOf(`kid-${second}-${index}`)),
    )
    await environment.pass(1)
    for (const answer of answers) {
      const reason = reasonOf(answer instanceof Promise ? await answer : answer)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  }
  return Object.fromEntries(counts)
}

describe('a flood of unknown kids', () => {
  it('causes at most one fetch per cooldown while the provider works, even with 100,000 in a minute (KF1, KF3)', async () => {
    const perSecond = 1700
    const environment = new VirtualRuntime(keySetOf(known))
    const { guard, decide } = guardIn(environment)
    await guard.start()
    assert.deepEqual(await flood(environment, decide, perSecond), {
      key_unknown: seconds * perSecond,
    })
    assert.ok(environment.fetched.length <= 1 + seconds / 30, `${environment.fetched.length}`)
  })

  it('causes only the scheduled retries while the provider fails, even with 10,000 in a minute (KF2)', async () => {
    const perSecond = 170
    const environment = new VirtualRuntime(keySetOf(known))
    const { guard, decide } = guardIn(environment)
    await guard.start()
    environment.answer = () => new Response('', { status: 500 })
    await environment.pass(30)
    const before = environment.fetched.length
    const answers = await flood(environment, decide, perSecond)
    // The first request finds that the provider fails. After that, the result is unknown: 503.
    assert.deepEqual(answers, { keys_unavailable: seconds * perSecond })
    assert.ok(environment.fetched.length - before <= 8, `${environment.fetched.length - before}`)
  })

  it('causes only the scheduled retries while the provider hangs (KF2)', async () => {
    const environment = new VirtualRuntime(keySetOf(known))
    const { guard, ask } = guardIn(environment)
    await guard.start()
    environment.answer = () => new Promise(() => {})
    await environment.pass(30)
    const before = environment.fetched.length
    const first = ask(tokenOf('first'))
    await environment.pass(5)
    assertUnavailable(await first)
    for (let second = 0; second < seconds; second += 1) {
      const waiting = ask(tokenOf(`kid-${second}`))
      await environment.pass(5)
      assertUnavailable(await waiting)
      assert.equal(reasonOf(await ask(known.token())), 'admitted')
    }
    assert.ok(environment.fetched.length - before <= 6 + (seconds * 5) / 30)
  })

  it('delays a genuine new key by at most the cooldown (KF4)', async () => {
    const environment = new VirtualRuntime(keySetOf(known))
    const { guard, ask } = guardIn(environment)
    await guard.start()
    await environment.pass(10)
    environment.publish(keySetOf(known, rotated))
    let waited = 0
    while (reasonOf(await ask(rotated.token())) !== 'admitted') {
      for (let index = 0; index < 1000; index += 1) await ask(tokenOf(`kid-${waited}-${index}`))
      await environment.pass(1)
      waited += 1
    }
    assert.ok(waited <= 30, `${waited} s`)
  })

  it('leaves no tokens and no kids in memory (KF1, ME2)', async () => {
    const { guard, decide } = guardIn(new VirtualRuntime(keySetOf(known)))
    await guard.start()
    const round = async (name: string) => {
      for (let index = 0; index < 20_000; index += 1) {
        const decision = decide(tokenOf(`${name}-${index}`))
        if (decision instanceof Promise) await decision
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    await round('warm')
    const before = await round('first')
    const after = await round('second')
    assert.equal(guard.cachedTokens(), 0)
    assert.ok(after - before < 1_000_000, `${after - before} bytes`)
  })
})

describe('a flood of distinct valid tokens', () => {
  it('uses no more memory than the capacity permits (ME1)', async () => {
    const environment = new VirtualRuntime(keySetOf(known))
    const guard = createGuard(optionsWith({ maxCachedTokens: 40 }), environment)
    await guard.start()
    for (let index = 0; index < 400; index += 1) {
      const authorization = `Bearer ${known.token({ uti: `token-${index}` })}`
      for (const _ of ['noted', 'remembered']) {
        const decision = guard.decide({ authorization, target: '/' }, 'CallHiApiRole')
        assert.ok(!(decision instanceof Promise) && decision.outcome === 'admitted')
      }
      assert.ok(guard.cachedTokens() <= 40)
    }
    assert.ok(guard.cachedTokens() > 20)
  })
})
