import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { KeyEvent } from '../../src/signing/key-event.ts'
import type { SigningKey } from '../../src/signing/signing-key.ts'
import type { FreshStorage } from './fresh-storage.ts'

const at = new Date('2030-01-01T00:00:00.123Z')

const key = (kid: string, days: number): SigningKey => ({
  kid,
  certificate: `certificate of ${kid}`,
  sealedPrivateKey: `sealed ${kid}`,
  announcedAt: at,
  signsFrom: new Date(at.getTime() + days * 86_400_000),
  longestTokenSeconds: 3600,
})

const event = (action: KeyEvent['action'], kid: string): KeyEvent => ({
  actor: 'system',
  correlationId: 'c-1',
  at,
  action,
  kid,
})

/** What every key ring store promises. */
export function keyRingStoreConformance(fresh: FreshStorage): void {
  it('begins empty, at revision 0', async () => {
    const { keyRing } = await (await fresh()).open()
    assert.deepEqual(await keyRing.read(), { revision: 0, ring: [] })
  })

  it('gives back the ring that was committed last, in the order in which its keys sign', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    await one.keyRing.commit(0, [key('b', 0), key('a', 90)], [])
    await one.keyRing.commit(1, [key('a', 90), key('c', 180), key('b', 0)], [])
    assert.deepEqual(await other.keyRing.read(), {
      revision: 2,
      ring: [key('b', 0), key('a', 90), key('c', 180)],
    })
    await one.keyRing.commit(2, [], [])
    assert.deepEqual(await other.keyRing.read(), { revision: 3, ring: [] })
  })

  it('writes what happened into the book of the directory, with the ring or not at all', async () => {
    const { keyRing, audit } = await (await fresh()).open()
    await keyRing.commit(0, [key('a', 0)], [event('announce', 'a')])
    assert.equal(await keyRing.commit(0, [key('b', 0)], [event('announce', 'b')]), 'conflict')
    const { records } = await audit.find({ book: 'directory', limit: 10 })
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

  it('lets exactly one of many replicas rotate', async () => {
    const store = await fresh()
    const replicas = await Promise.all([1, 2, 3, 4].map(() => store.open()))
    for (let base = 0; base < 10; base += 1) {
      const outcomes = await Promise.all(
        replicas.map(({ keyRing }, replica) =>
          keyRing.commit(base, [key(`${base}.${replica}`, 0)], []),
        ),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 1)
    }
  })

  it('is not held up by commits of the directory, nor holds them up', async () => {
    const { keyRing, directory } = await (await fresh()).open()
    const outcomes = await Promise.all([
      keyRing.commit(0, [key('a', 0)], []),
      directory.commit(0, [], []),
    ])
    assert.deepEqual(outcomes, ['committed', 'committed'])
  })
}
