import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rsaKeyPair } from '../../fixtures/rsa-key-pair.ts'
import { createFixture } from '../harness/fixture.ts'
import { wrk } from '../harness/load.ts'
import { createSetup } from '../harness/setup.ts'

const fixture = createFixture(() => rsaKeyPair().privateKey)

describe('the tokens of a run', () => {
  let setup: Awaited<ReturnType<typeof createSetup>>
  before(async () => {
    setup = await createSetup(wrk, false, { count: 2, seconds: 0.001, leastRequests: 40 }, fixture)
  })
  after(() => setup.stop())

  it('are the same few in every load for cached tokens', () => {
    assert.deepEqual(setup.tokensFor('few', 0), setup.tokensFor('few', 100))
  })

  it('are different in every load for new tokens, until the pool is empty', () => {
    const first = setup.tokensFor('unique', 0)
    const count = first?.count ?? 0
    assert.equal(first?.first, 0)
    assert.ok(count >= 80, 'at least two times the least requests of a turn')
    assert.equal(setup.tokensFor('unique', count)?.first, count)
    assert.throws(() => setup.tokensFor('unique', 2 * count), /no new tokens left/)
  })

  it('are not needed for a token endpoint', () => {
    assert.equal(setup.tokensFor('none', 0), undefined)
  })

  it('are signed by the published keys', async () => {
    const { keys } = await (await fetch(setup.keySet.url)).json()
    assert.deepEqual(
      keys.map(({ kid }: { kid: string }) => kid),
      setup.fixture.keys.map(({ kid }) => kid),
    )
    assert.equal((await fetch(`${setup.keySet.origin}/another`)).status, 404)
  })
})
