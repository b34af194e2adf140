import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { NewSigningKey } from '@greeting/directory/keys'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { MemoryKeyRingStore } from '../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { reencryptKeys } from '../../src/signing/key-reencryption.ts'
import { SigningKeys, type SigningKeysOptions } from '../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from './fixture-signing-key.ts'

const kidOnly = (kid: string) => ({ kid })

const start = Date.parse('2030-01-01T00:00:00Z')
const dayMs = 86_400_000
const administrator = { actor: 'an administrator', correlationId: 'c-1' }
const claims = { aud: 'api://greeting', roles: ['CallHiApiRole'] }

const keyEncryptionKey = KeyEncryptionKey.generate()
let made: NewSigningKey[]

before(async () => {
  made = await Promise.all(
    Array.from({ length: 8 }, () => fixtureSigningKey(keyEncryptionKey, new Date(start))),
  )
})

/** Replicas over one store, with one clock and prepared keys. */
function server(over: Partial<SigningKeysOptions> = {}) {
  const store = new MemoryKeyRingStore()
  const clock = { now: start, monotonicMs: 0 }
  let next = 0
  const open = (more: Partial<SigningKeysOptions> = {}) =>
    SigningKeys.open({
      store,
      keyEncryptionKey,
      agreedTime: agreedNow(() => new Date(clock.now)),
      schedule: { longestTokenSeconds: 3600 },
      now: () => new Date(clock.now),
      monotonicNowMs: () => clock.monotonicMs,
      generate: async () => made[next++ % made.length] as NewSigningKey,
      ...over,
      ...more,
    })
  return { store, clock, open }
}

const kids = (keys: SigningKeys) => keys.published().map(({ kid }) => kid)
const phases = (keys: SigningKeys) => keys.states().map(({ phase }) => phase)
const headerOf = async (keys: SigningKeys) =>
  (await verified(keys, await keys.sign(claims, kidOnly))).protectedHeader
const verified = (keys: SigningKeys, token: string) =>
  jwtVerify(token, createLocalJWKSet({ keys: keys.published() as never }))

describe('signing keys', () => {
  it('sign tokens that any library verifies with the published keys', async () => {
    const keys = await server().open()
    const { payload, protectedHeader } = await verified(
      keys,
      await keys.sign(claims, (kid) => ({ x5t: kid, kid })),
    )
    const [kid] = kids(keys)
    assert.deepEqual(payload, claims)
    assert.deepEqual(Object.entries(protectedHeader), [
      ['typ', 'JWT'],
      ['alg', 'RS256'],
      ['x5t', kid],
      ['kid', kid],
    ])
    assert.deepEqual(Object.entries(await headerOf(keys)), [
      ['typ', 'JWT'],
      ['alg', 'RS256'],
      ['kid', kid],
    ])
  })

  it('sign any claims in any script, even many at once', async () => {
    const keys = await server().open()
    const names = ['Zoë', '名前', '\u{1f44b}', '', '"\\\u0000']
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, n) => keys.sign({ n, name: names[n % 5] }, kidOnly)),
    )
    for (const [n, token] of tokens.entries()) {
      assert.deepEqual((await verified(keys, token)).payload, { n, name: names[n % 5] })
    }
  })

  it('remain the same after a restart', async () => {
    const { open } = server()
    const before = await open()
    const after = await open()
    assert.deepEqual(kids(after), kids(before))
    await verified(after, await before.sign(claims, kidOnly))
  })

  it('are created once if replicas start at the same time, and all replicas agree', async () => {
    const { open, store } = server()
    const replicas = await Promise.all([open(), open(), open()])
    assert.equal(new Set(replicas.map((keys) => kids(keys).join())).size, 1)
    assert.equal(store.events.length, 2)
  })

  it('rotate on schedule, while every token stays valid', async () => {
    const { open, clock } = server()
    const keys = await open()
    const seen = new Set<string | undefined>()
    for (let day = 0; day <= 200; day += 10) {
      clock.now = start + day * dayMs
      const before = await keys.sign(claims, kidOnly)
      await keys.tend()
      seen.add((await headerOf(keys)).kid)
      await verified(keys, before)
      assert.ok(kids(keys).length >= 2)
    }
    assert.equal(seen.size, 3)
  })

  it('remain unchanged while the time is not agreed, whatever the clock shows', async () => {
    const { open, clock } = server()
    const right = await open()
    const before = await right.sign(claims, kidOnly)
    const published = kids(right)
    clock.now = start + 800 * dayMs
    const wrong = await open({ agreedTime: async () => undefined })
    await wrong.tend()
    assert.deepEqual(kids(wrong), published)
    assert.deepEqual(phases(wrong), ['retired', 'active'])
    await verified(wrong, before)
    await verified(right, await wrong.sign(claims, kidOnly))
  })

  it('are created even without an agreed time, because nothing can be lost', async () => {
    const keys = await server().open({ agreedTime: async () => undefined })
    assert.deepEqual(phases(keys), ['active', 'announced'])
  })

  it('refuse a schedule that would break verifiers, before anything is written', async () => {
    const { open, store } = server()
    await assert.rejects(open({ schedule: { longestTokenSeconds: 3600, announceDays: 0 } }), {
      name: 'ZodError',
    })
    assert.equal((await store.read()).latest.revision, 0)
  })
})

describe('a rotation on demand', () => {
  it('returns the next key and its start, and the audit record names the actor', async () => {
    const { open, clock, store } = server()
    const keys = await open()
    clock.now += dayMs
    const [former, standby] = kids(keys)
    const next = await keys.rotate(administrator)
    assert.equal(next.kid, standby)
    assert.deepEqual(next.signsFrom, new Date(clock.now))
    assert.equal((await headerOf(keys)).kid, standby)
    assert.deepEqual(phases(keys), ['retired', 'active', 'announced'])
    assert.deepEqual(
      store.events.slice(2).map(({ actor, action, kid }) => [actor, action, kid]),
      [
        [administrator.actor, 'reschedule', standby],
        ['system', 'retire', former],
        ['system', 'announce', kids(keys)[2]],
      ],
    )
  })

  it('happens once for simultaneous requests to several replicas (LD6)', async () => {
    const { open, clock } = server()
    const replicas = await Promise.all([open(), open(), open()])
    clock.now += dayMs
    const answers = await Promise.all(replicas.map((keys) => keys.rotate(administrator)))
    assert.equal(new Set(answers.map(({ kid }) => kid)).size, 1)
    await Promise.all(replicas.map((keys) => keys.refresh()))
    for (const keys of replicas) assert.deepEqual(phases(keys), ['retired', 'active', 'announced'])
  })

  it('waits for the notice if the announced key is too new, however many requests arrive', async () => {
    const { open, clock } = server()
    const keys = await open()
    const [first, standby] = kids(keys)
    for (const _ of [1, 2, 3]) {
      const next = await keys.rotate(administrator)
      assert.equal(next.kid, standby)
      assert.deepEqual(next.signsFrom, new Date(start + 300_000))
    }
    assert.equal((await headerOf(keys)).kid, first)
    clock.now += 300_000
    assert.equal((await headerOf(keys)).kid, standby)
  })

  it('keeps tokens valid at a replica that does not know of it yet', async () => {
    const { open, clock } = server()
    const [one, other] = [await open(), await open()]
    clock.now += dayMs
    await one.rotate(administrator)
    await verified(one, await other.sign(claims, kidOnly))
    await verified(other, await one.sign(claims, kidOnly))
  })
})

describe('an emergency revocation (FL10)', () => {
  it('stops signing and publishing immediately, and on every replica within maxAgeMs', async () => {
    const { open, clock } = server()
    const [one, other] = [await open(), await open()]
    const [revoked = '', standby] = kids(one)
    await one.revoke(revoked, administrator)
    assert.ok(!kids(one).includes(revoked))
    assert.equal((await headerOf(one)).kid, standby)
    assert.equal(kids(one).length, 2)
    clock.monotonicMs += 1001
    assert.equal((await headerOf(other)).kid, standby)
    assert.ok(!kids(other).includes(revoked))
  })

  it('creates a new key first if no other key can sign', async () => {
    const { open, clock } = server()
    const keys = await open()
    clock.now += 90 * dayMs
    const [, active = ''] = kids(keys)
    await keys.revoke(active, administrator)
    assert.deepEqual(phases(keys), ['retired', 'active', 'announced'])
  })

  it('records the actor in the audit log, and refuses an unknown key', async () => {
    const { open, store } = server()
    const keys = await open()
    const [revoked = ''] = kids(keys)
    await keys.revoke(revoked, administrator)
    assert.ok(
      store.events.some(
        ({ action, kid, actor }) =>
          action === 'revoke' && kid === revoked && actor === administrator.actor,
      ),
    )
    await assert.rejects(keys.revoke(revoked, administrator), { code: 'signing_key_unknown' })
  })
})

describe('a key ring with concurrent changes', () => {
  it('is never replaced with an older ring from a slow read', async () => {
    const store = new MemoryKeyRingStore()
    const { open } = server({ store })
    const keys = await open()
    const [revoked = ''] = kids(keys)
    const older = await store.read()
    const { read } = store
    const slow = Promise.withResolvers<typeof older>()
    store.read = () => slow.promise
    const refreshed = keys.refresh()
    store.read = read
    await keys.revoke(revoked, administrator)
    slow.resolve(older)
    await refreshed
    assert.ok(!kids(keys).includes(revoked))
  })
})

describe('signing keys while the store is unavailable', () => {
  it('sign for at most maxAgeMs, remain published, and recover without help', async () => {
    const store = new MemoryKeyRingStore()
    const { open, clock } = server({ store })
    const keys = await open()
    const published = kids(keys)
    const read = store.read
    store.read = () => Promise.reject(new Error('connection refused'))
    clock.monotonicMs += 1000
    await keys.sign(claims, kidOnly)
    clock.monotonicMs += 1
    await assert.rejects(keys.sign(claims, kidOnly), { message: 'connection refused' })
    await keys.refreshIfOld()
    assert.deepEqual(kids(keys), published)
    store.read = read
    await keys.sign(claims, kidOnly)
  })
})

describe('another key-encryption key', () => {
  it('is refused with a one-sentence error, and nothing is overwritten', async () => {
    const { open, store } = server()
    await open()
    const before = await store.read()
    await assert.rejects(open({ keyEncryptionKey: KeyEncryptionKey.generate() }), {
      code: 'key_encryption_key_wrong',
      message:
        /^The stored keys are encrypted with the key-encryption key .* Nothing was changed\.$/,
    })
    assert.deepEqual(await store.read(), before)
  })

  it('decrypts the same keys after re-encryption, and the earlier key decrypts none', async () => {
    const { open, store } = server()
    const before = await open()
    const to = KeyEncryptionKey.generate()
    const count = await reencryptKeys({ store, from: keyEncryptionKey, to, by: administrator })
    assert.equal(count, 2)
    assert.deepEqual(kids(await open({ keyEncryptionKey: to })), kids(before))
    await assert.rejects(open(), { code: 'key_encryption_key_wrong' })
  })

  it('leaves a running replica able to sign with the old key, but not to create keys', async () => {
    const { open, store, clock } = server()
    const running = await open()
    const to = KeyEncryptionKey.generate()
    await reencryptKeys({ store, from: keyEncryptionKey, to, by: administrator })
    clock.now += 91 * dayMs
    clock.monotonicMs += 2000
    const restarted = await open({
      keyEncryptionKey: to,
      generate: () => fixtureSigningKey(to, new Date(clock.now)),
    })
    await verified(restarted, await running.sign(claims, kidOnly))
    assert.deepEqual(kids(running), kids(restarted))
    await assert.rejects(running.rotate(administrator), { code: 'key_encryption_key_wrong' })
  })

  it('is refused for re-encryption if the stored keys use a third one', async () => {
    const { open, store } = server()
    await open()
    const before = await store.read()
    const [from, to] = [KeyEncryptionKey.generate(), KeyEncryptionKey.generate()]
    await assert.rejects(reencryptKeys({ store, from, to, by: administrator }), {
      code: 'key_encryption_key_wrong',
    })
    assert.deepEqual(await store.read(), before)
  })
})

describe('a stored key that was modified', () => {
  for (const [what, damage] of [
    [
      'its private key is damaged',
      (key: NewSigningKey) => ({ ...key, sealedPrivateKey: `${key.sealedPrivateKey}AAAA` }),
    ],
    [
      'its certificate belongs to another key',
      (key: NewSigningKey, other: NewSigningKey) => ({ ...key, certificate: other.certificate }),
    ],
  ] as const) {
    it(`prevents the start if ${what}, and nothing is overwritten`, async () => {
      const { open, store } = server()
      await open()
      const { latest, ring } = await store.read()
      const [first, second] = ring as [(typeof ring)[0], (typeof ring)[0]]
      await store.commit(latest, 'damage', [{ ...first, ...damage(first, second) }, second], [])
      const before = await store.read()
      await assert.rejects(open(), { code: 'sealed_key_corrupt' })
      assert.deepEqual(await store.read(), before)
    })
  }
})
