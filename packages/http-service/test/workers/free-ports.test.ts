import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseFreePorts } from '../../src/workers/run-primary.ts'

describe('the ports of the workers', () => {
  it('are free ones for each setting that is 0, all different', async () => {
    const settings = { HOST: '127.0.0.1', PORT: 0, HTTPS_PORT: 0, METRICS_PORT: 0, MTLS_PORT: null }
    const ports = await chooseFreePorts({ ...settings, METRICS_HOST: 'localhost', WORKERS: 0 })
    assert.deepEqual(Object.keys(ports), ['PORT', 'HTTPS_PORT', 'METRICS_PORT'])
    assert.ok(Object.values(ports).every((port) => /^[1-9]\d{3,4}$/.test(port)))
    assert.equal(new Set(Object.values(ports)).size, 3)
  })

  it('are not chosen when the settings have them', async () => {
    assert.deepEqual(await chooseFreePorts({ HOST: '127.0.0.1', PORT: 3000 }), {})
  })

  it('are refused for an unknown host, with a code', async () => {
    await assert.rejects(chooseFreePorts({ HOST: '192.0.2.1', PORT: 0 }), { code: 'EADDRNOTAVAIL' })
  })
})
