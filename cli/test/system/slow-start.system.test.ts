import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { RunningSystem, stallCheck } from '../../src/system/running-system.ts'
import { fakeServices } from '../fakes/services.ts'
import { fakesIn } from '../fakes/tenants.ts'

async function systemIn(test: TestContext, fault: string, stallMs: number) {
  const dataDir = freshFolder()
  const ports = { apiPort: 0, apiHttpsPort: 0, identityPort: 0, httpsPort: 0 }
  const environment = { PATH: process.env.PATH, ...(await fakesIn(dataDir, fault)) }
  const options = { dataDir, maxLogMib: 1, ...ports }
  const system = new RunningSystem(fakeServices, options, environment, { noticeMs: 100, stallMs })
  test.after(() => system.stop())
  return system
}

const never = new AbortController().signal

describe('a slow start', () => {
  it('reports its current step', async (test) => {
    const said: string[] = []
    const system = await systemIn(test, 'writes', 60_000)
    await system.start(never, (awaited) => said.push(awaited))
    assert.ok(said.includes('the identity provider'), said.join())
  })

  it('is stalled only after three checks with the same progress', () => {
    const isStalled = stallCheck(3)
    const seen = ['a', 'a', 'a', 'b', 'b', 'b', 'b', 'a'].map(isStalled)
    assert.deepEqual(seen, [false, false, false, false, false, false, true, false])
  })

  it('is abandoned without progress, and the error names its last step', async (test) => {
    const system = await systemIn(test, 'hangs', 500)
    await assert.rejects(
      system.start(never, () => undefined),
      /^CommandFailure: The start waited 0\.5 seconds for the identity provider without any progress$/,
    )
  })
})
