import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyRing, KeyRingStore } from '@greeting/directory/keys'
import { decodeProtectedHeader } from 'jose'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { MemoryKeyRingStore } from '../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from './fixture-signing-key.ts'

const kidOnly = (kid: string) => ({ kid })

const administrator = { actor: 'an administrator', correlationId: null }
const keyEncryptionKey = KeyEncryptionKey.generate()

const open = (store: KeyRingStore, part: Partial<Parameters<typeof SigningKeys.open>[0]> = {}) =>
  SigningKeys.open({
    store,
    keyEncryptionKey,
    agreedTime: agreedNow(),
    schedule: { longestTokenSeconds: 3600 },
    generate: fixtureSigningKey,
    ...part,
  })

/** A store with these rings, one commit each. The marks are those of the copied store. */
async function storeWith(...rings: readonly KeyRing[]): Promise<MemoryKeyRingStore> {
  const store = new MemoryKeyRingStore()
  for (const [index, ring] of rings.entries())
    await store.commit((await store.read()).latest, markAt(index + 1), ring, [])
  return store
}

const kids = (keys: SigningKeys) => keys.published().map(({ kid }) => kid)

/** A server that knows three commits of a store, and the store that replaces it. */
async function afterFailover() {
  const origin = new MemoryKeyRingStore()
  await open(origin)
  const { ring } = await origin.read()
  const place: { store: KeyRingStore } = { store: await storeWith(ring, ring, ring) }
  const reversals: [number, number][] = []
  const keys = await open(
    {
      read: (known) => place.store.read(known),
      commit: (...commit) => place.store.commit(...commit),
    },
    {
      onReversal: (followed, latest) => void reversals.push([followed.revision, latest.revision]),
    },
  )
  return { place, ring, keys, reversals }
}

describe('a key ring whose store was restored from a backup (AS37)', () => {
  it('neither signs with nor publishes a key that the restored store has revoked', async () => {
    const { place, ring, keys, reversals } = await afterFailover()
    const standby = await storeWith(ring)
    const [revoked = ''] = kids(keys)
    await (await open(standby)).revoke(revoked, administrator)
    assert.equal((await standby.read()).latest.revision, 3, 'as many commits as were followed')
    place.store = standby
    await keys.refresh()
    assert.ok(!kids(keys).includes(revoked))
    assert.notEqual(decodeProtectedHeader(await keys.sign({}, kidOnly)).kid, revoked)
    await keys.refresh()
    assert.deepEqual(reversals, [[3, 3]], 'reported once')
  })

  it('accepts a key ring with fewer commits', async () => {
    const { place, ring, keys, reversals } = await afterFailover()
    place.store = await storeWith(ring.slice(0, 1))
    await keys.refresh()
    assert.deepEqual(kids(keys), [ring[0]?.kid])
    assert.deepEqual(reversals, [[3, 1]])
  })

  it('revokes the key in the restored store as well as in memory', async () => {
    const { place, ring, keys } = await afterFailover()
    const standby = await storeWith(ring)
    const [revoked = ''] = kids(keys)
    place.store = standby
    await keys.revoke(revoked, administrator)
    assert.ok(!(await standby.read()).ring.some(({ kid }) => kid === revoked))
    assert.ok(!kids(keys).includes(revoked))
  })

  it('ignores a late response from before its last change', async () => {
    const { place, ring, keys } = await afterFailover()
    const standby = await storeWith(ring)
    const late = Promise.withResolvers<Awaited<ReturnType<KeyRingStore['read']>>>()
    const [revoked = ''] = kids(keys)
    const early = await standby.read({ revision: 3, mark: markAt(3) })
    assert.equal(early.hasKnown, false)
    place.store = { read: () => late.promise, commit: () => Promise.reject(new Error('never')) }
    const refreshed = keys.refresh()
    place.store = standby
    await keys.revoke(revoked, administrator)
    late.resolve(early)
    await refreshed
    assert.ok(!kids(keys).includes(revoked))
  })

  it("signs nothing while the store has no keys, and reports the store's error", async () => {
    const { place, keys } = await afterFailover()
    place.store = new MemoryKeyRingStore()
    await keys.refresh()
    assert.deepEqual(kids(keys), [])
    await assert.rejects(keys.sign({}, kidOnly), { code: 'key_ring_unavailable' })
    await keys.tend()
    assert.equal(kids(keys).length, 2)
  })
})
