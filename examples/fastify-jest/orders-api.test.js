import { useEntra } from '@greeting/testing/jest'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createOrdersApi, roles } from './orders-api.js'

describe('the orders API', () => {
  const entra = useEntra({
    registrations: {
      apis: { 'Orders API': { roles } },
      clients: {
        'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } },
        'Report job': {},
      },
    },
    mustApplyFaults: true,
  })
  let api
  const start = async () => {
    const { guardOptions } = entra().api('Orders API')
    const started = createOrdersApi(guardOptions, { wallClockMs: entra().clock.wallClockMs })
    await started.guard.start()
    return started
  }
  const stop = async ({ app, guard }) => {
    guard.stop()
    await app.close()
  }
  beforeAll(async () => {
    api = await start()
  })
  afterAll(() => stop(api))

  const orders = async (token, { app } = api, method = 'GET') => {
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode: status, body } = await app.inject({ url: '/api/orders', method, headers })
    return { status, body }
  }

  it('responds to a client with the role, and to no other', async () => {
    const token = await entra().client('Payroll job').token()
    expect(await orders(token)).toEqual({ status: 200, body: '[{"id":1}]' })
    expect((await orders(token, api, 'POST')).status).toBe(403)
    expect((await orders(await entra().client('Report job').token())).status).toBe(403)
  })

  it('refuses every hostile token', async () => {
    await entra().assertRefusesForgeries('Orders API', (token) => orders(token))
  })

  it('refuses an expired token', async () => {
    const token = await entra().client('Payroll job').token()
    entra().clock.advance({ hours: 2 })
    expect((await orders(token)).status).toBe(401)
  })

  it('responds with 503 instead of 401 while it has no keys', async () => {
    const token = await entra().client('Payroll job').token()
    entra().faults.add({ at: 'keys', fault: 'malformed', times: 10 })
    const late = await start()
    expect((await orders(token, late)).status).toBe(503)
    await stop(late)
  })
})
