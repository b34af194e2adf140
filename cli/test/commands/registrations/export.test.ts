import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applied } from './applied-graph.ts'
import { ServedGraph } from './served-graph.ts'

describe('greeting registrations export', () => {
  it('prints a file that would change nothing', async (test) => {
    const { served } = await applied(test)
    for (const args of [[], ['--portable'], ['Greeting client', 'Greeting API']]) {
      const { code, out } = await served.run(['export', ...args])
      assert.equal(code, 0)
      const { out: plan } = await served.run(['plan', await served.file(out, 'exported.json')])
      assert.match(plan, /No changes/)
    }
  })

  it('refuses the name of an application that does not exist', async (test) => {
    const served = await ServedGraph.start(test)
    const { code, err } = await served.run(['export', 'Orders API'])
    assert.deepEqual([code, err], [1, 'The tenant has no application "Orders API"\n'])
  })
})
