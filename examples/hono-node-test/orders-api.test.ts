import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { useEntra } from '@greeting/testing/node-test'
import { createOrdersApi } from './orders-api.ts'

describe('the orders API', () => {
  const entra = useEntra({
    registrations: {
      apis: { 'Orders API': { roles: ['Orders.Read', 'Orders.Write'] } },
      clients: {
        'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } },
        'Report job': {},
      },
    },
    mustApplyFaults: true,
  })
  let api: ReturnType<typeof createOrdersApi>
  const start = () => {
    const { guardOptions } = entra().api('Orders API')
    const started = createOrdersApi(guardOptions, { wallClockMs: entra().clock.wallClockMs })
    return started.guard.start().then(() => started)
  }
  before(async () => {
    api = await start()
  })
  after(() => api.guard.stop())

  const orders = async (token: string, { app } = api, method = 'GET') =>
    app.request('/api/orders', { method, headers: { authorization: `Bearer ${token}` } })

  it('responds to a client with the role', async () => {
    const token = await entra().client('Payroll job').token()
    assert.deepEqual(await (await orders(token)).json(), [{ id: 1 }])
  })

  it('refuses a client without the role, and a client whose consent was withdrawn', async () => {
    const payroll = entra().client('Payroll job')
    assert.equal((await orders(await payroll.token(), api, 'POST')).status, 403)
    assert.equal((await orders(await entra().client('Report job').token())).status, 403)
    await entra().withdrawConsent('Payroll job', 'Orders API')
    assert.equal((await orders(await payroll.token())).status, 403)
  })

  it('refuses every hostile token', async () => {
    await entra().assertRefusesForgeries('Orders API', (token) => orders(token))
  })

  it('refuses an expired token', async () => {
    const token = await entra().client('Payroll job').token()
    entra().clock.advance({ hours: 2 })
    assert.equal((await orders(token)).status, 401)
  })

  it('responds with 503 instead of 401 while it has no keys', async () => {
    const token = await entra().client('Payroll job').token()
    entra().faults.add({ at: 'keys', fault: 'status', times: 10 })
    const late = await start()
    assert.equal((await orders(token, late)).status, 503)
    late.guard.stop()
  })
})
