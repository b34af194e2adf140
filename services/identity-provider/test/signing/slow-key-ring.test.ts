import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { KeyRingStore } from '@greeting/directory/keys'
import { decodeProtectedHeader } from 'jose'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { MemoryKeyRingStore } from '../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from './fixture-signing-key.ts'

const kidOnly = (kid: string) => ({ kid })

const administrator = { actor: 'an administrator', correlationId: null }
const keyEncryptionKey = KeyEncryptionKey.generate()

/** Two servers with one store. One of them reads it only when the test allows it. */
async function replicas() {
  const store = new MemoryKeyRingStore()
  const clock = { monotonicMs: 0 }
  const questions: PromiseWithResolvers<void>[] = []
  const slowly = { isSlow: false }
  const slow: KeyRingStore = {
    read: async (known) => {
      const said = await store.read(known)
      if (!slowly.isSlow) return said
      const question = Promise.withResolvers<void>()
      questions.push(question)
      await question.promise
      return said
    },
    commit: (...commit) => store.commit(...commit),
  }
  const open = (over: KeyRingStore) =>
    SigningKeys.open({
      store: over,
      keyEncryptionKey,
      agreedTime: agreedNow(),
      schedule: { longestTokenSeconds: 3600 },
      generate: fixtureSigningKey,
      monotonicNowMs: () => clock.monotonicMs,
    })
  const [mine, other] = [await open(slow), await open(store)]
  slowly.isSlow = true
  return { mine, other, clock, questions }
}

const kidOf = async (token: Promise<string>) => decodeProtectedHeader(await token).kid

describe('signing keys while the store is slow (FL18)', () => {
  it('do not sign with a key ring that is older than maxAgeMs', async () => {
    const { mine, other, clock, questions } = await replicas()
    clock.monotonicMs = 1001
    const early = mine.sign({}, kidOnly)
    await setImmediate()
    clock.monotonicMs = 2500
    const [revoked = ''] = mine.published().map(({ kid }) => kid)
    await other.revoke(revoked, administrator)
    const late = mine.sign({}, kidOnly)
    assert.equal(questions.length, 1, 'they share a query')
    questions[0]?.resolve()
    assert.equal(await kidOf(early), revoked)
    await setImmediate()
    questions[1]?.resolve()
    assert.notEqual(await kidOf(late), revoked)
  })

  it('are read again before they are published if they are older than maxAgeMs', async () => {
    const { mine, other, clock, questions } = await replicas()
    const [revoked = ''] = mine.published().map(({ kid }) => kid)
    await other.revoke(revoked, administrator)
    clock.monotonicMs = 1000
    await mine.refreshIfOld()
    assert.equal(questions.length, 0, 'they are not old')
    clock.monotonicMs = 1001
    const read = mine.refreshIfOld()
    await setImmediate()
    questions[0]?.resolve()
    await read
    assert.ok(!mine.published().some(({ kid }) => kid === revoked))
  })
})
