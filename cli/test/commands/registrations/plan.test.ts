import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import { ServedGraph } from './served-graph.ts'

describe('greeting registrations plan', () => {
  it('shows the six steps and the consequences of omitting them, and changes nothing', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    const { code, out, err } = await served.run(['plan', path])
    assert.equal(code, 0, err)
    for (const step of [
      '1 API registration',
      '2 Application roles',
      '3 Client registration',
      '4 Permissions',
      '5 Admin consent',
      '6 Client secret',
    ])
      assert.match(out, new RegExp(`^${step}$`, 'm'))
    assert.match(out, /Without these changes:\n {2}"Greeting client" gets no token/)
    assert.deepEqual(
      served.tenant.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  it('exits with 6 if --detailed-exit-code is set and changes exist', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    assert.equal((await served.run(['plan', path, '--detailed-exit-code'])).code, 6)
    assert.equal((await served.run(['apply', path])).code, 0)
    const { code, out } = await served.run(['plan', path, '--detailed-exit-code'])
    assert.equal(code, 0)
    assert.match(out, /No changes: the directory matches the file\./)
  })

  it('prints its changes as JSON', async (test) => {
    const served = await ServedGraph.start(test)
    const { out } = await served.run(['plan', await served.file(sampleFile()), '--json'])
    const { changes, tenantId, ifLeft } = JSON.parse(out)
    assert.equal(changes.length, 10)
    assert.deepEqual(Object.keys(changes[0]).sort(), ['application', 'destructive', 'kind', 'step'])
    assert.equal(tenantId, served.tenant.administrator.TENANT_ID)
    assert.equal(ifLeft.length, 1)
  })
})
