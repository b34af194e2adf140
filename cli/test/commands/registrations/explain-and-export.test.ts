import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applied } from './applied-graph.ts'
import { ServedGraph } from './served-graph.ts'

describe('greeting registrations explain', () => {
  it('reports a missing step, and later that it is complete', async (test) => {
    const { served, path } = await applied(test)
    const explain = ['explain', '--client', 'Greeting client', '--api', 'Greeting API']
    assert.match((await served.run(explain)).out, /with CallHiApiRole, CallHelloApiRole\.\n/)
    served.stand.directory.assignments.clear()
    assert.match((await served.run(explain)).out, /without any role\.\n.*5 Admin consent +MISSING/s)
    await served.run(['apply', path])
    const { out } = await served.run([...explain, '--json'])
    assert.deepEqual(JSON.parse(out).tokenRoles, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('of an unknown name reports that it is not registered', async (test) => {
    const served = await ServedGraph.start(test)
    const { code, out } = await served.run(['explain', '--client', 'a', '--api', 'b'])
    assert.equal(code, 0)
    assert.match(
      out,
      /^"a" gets no token for "b": the client is not registered \(AADSTS700016\)\.\n/,
    )
  })
})

describe('greeting registrations export', () => {
  it('prints a file that changes nothing', async (test) => {
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
    assert.deepEqual([code, err], [1, 'The tenant has no application "Orders API".\n'])
  })
})
