import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { tenant } from '../../../../test/fixtures/directory/sample.ts'
import {
  commitAt,
  foreignBases,
  knownCommits,
  markAt,
} from '../../../../test/fixtures/directory/sample-commit.ts'
import type { KeyEvent, KeyRingStore, SigningKey } from '../../src/keys/key-ring-store.ts'
import { put } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const at = new Date('2030-01-01T00:00:00.123Z')

const key = (kid: string, days: number): SigningKey => ({
  kid,
  certificate: `certificate of ${kid}`,
  sealedPrivateKey: `sealed ${kid}`,
  announcedAt: at,
  signsFrom: new Date(at.getTime() + days * 86_400_000),
  retiredAt: days === 0 ? at : null,
  longestTokenSeconds: 3600,
})

const event = (action: KeyEvent['action'], kid: string): KeyEvent => ({
  actor: 'system',
  correlationId: 'c-1',
  at,
  action,
  kid,
})

/** Tests a key ring store. */
export function keyRingStoreConformance(fresh: FreshStorage): void {
  it('begins empty, at revision 0', async () => {
    const { keyRing } = await (await fresh()).open()
    assert.deepEqual(await keyRing.read(), { latest: commitAt(0), hasKnown: true, ring: [] })
  })

  it('returns the ring of the last commit in signing order', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    await one.keyRing.commit(commitAt(0), markAt(1), [key('b', 0), key('a', 90)], [])
    await one.keyRing.commit(commitAt(1), markAt(2), [key('a', 90), key('c', 180), key('b', 0)], [])
    assert.deepEqual(await other.keyRing.read(), {
      latest: commitAt(2),
      hasKnown: true,
      ring: [key('b', 0), key('a', 90), key('c', 180)],
    })
    await one.keyRing.commit(commitAt(2), markAt(3), [], [])
    assert.deepEqual(await other.keyRing.read(), {
      latest: commitAt(3),
      hasKnown: true,
      ring: [],
    })
  })

  it("records key events in the directory's audit log together with the ring, or not at all", async () => {
    const { keyRing, audit } = await (await fresh()).open()
    await keyRing.commit(commitAt(0), markAt(1), [key('a', 0)], [event('announce', 'a')])
    assert.equal(
      await keyRing.commit(commitAt(0), markAt(1), [key('b', 0)], [event('announce', 'b')]),
      'conflict',
    )
    const { records } = await audit.find({ log: 'directory', limit: 10 })
    assert.deepEqual(
      records.map(({ id, ...record }) => record),
      [
        {
          at,
          tenantId: null,
          actor: 'system',
          action: 'signingKey.announce',
          target: 'a',
          outcome: 'done',
          reason: null,
          correlationId: 'c-1',
        },
      ],
    )
    assert.deepEqual((await keyRing.read()).ring, [key('a', 0)])
  })

  it('lets only one of many replicas rotate', async () => {
    const store = await fresh()
    const replicas = await Promise.all([1, 2, 3, 4].map(() => store.open()))
    for (let base = 0; base < 10; base += 1) {
      const outcomes = await Promise.all(
        replicas.map(({ keyRing }, replica) =>
          keyRing.commit(commitAt(base), markAt(base + 1), [key(`${base}.${replica}`, 0)], []),
        ),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 1)
    }
  })

  describe('at commit 2', () => {
    let keyRing: KeyRingStore
    before(async () => {
      keyRing = (await (await fresh()).open()).keyRing
      await keyRing.commit(commitAt(0), markAt(1), [key('a', 0)], [])
      await keyRing.commit(commitAt(1), markAt(2), [key('b', 0)], [])
    })

    for (const [what, known, hasKnown] of knownCommits) {
      it(`reports that it ${hasKnown ? 'has' : 'lacks'} ${what}, with the whole ring (AS37)`, async () => {
        const ring = [key('b', 0)]
        assert.deepEqual(await keyRing.read(known), { latest: commitAt(2), hasKnown, ring })
      })
    }
  })

  describe('at commit 1', () => {
    let keyRing: KeyRingStore
    before(async () => {
      keyRing = (await (await fresh()).open()).keyRing
      await keyRing.commit(commitAt(0), markAt(1), [key('a', 0)], [])
    })

    for (const [what, base] of foreignBases) {
      it(`writes nothing on ${what} (AS37)`, async () => {
        assert.equal(await keyRing.commit(base, 'mine', [key('b', 0)], []), 'conflict')
        assert.deepEqual((await keyRing.read()).ring, [key('a', 0)])
      })
    }
  })

  it('does not conflict with directory commits', async () => {
    const { keyRing, directory } = await (await fresh()).open()
    const outcomes = await Promise.all([
      keyRing.commit(commitAt(0), markAt(1), [key('a', 0)], []),
      directory.commit(commitAt(0), markAt(1), [put('tenant', tenant())], []),
    ])
    assert.deepEqual(outcomes, ['committed', commitAt(1)])
  })
}
