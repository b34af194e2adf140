import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useEntra } from '@greeting/testing/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrdersApi, roles } from './orders-api.ts'

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
  let api: ReturnType<typeof createOrdersApi>
  let server: Server
  beforeAll(async () => {
    const { guardOptions } = entra().api('Orders API')
    api = createOrdersApi(guardOptions, { wallClockMs: entra().clock.wallClockMs })
    await api.guard.start()
    const { promise, resolve } = Promise.withResolvers<void>()
    server = api.app.listen(0, '127.0.0.1', () => resolve())
    await promise
  })
  afterAll(() => {
    api.guard.stop()
    server.close()
  })

  const orders = (token: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/orders`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })

  it('responds to a client with the role, and to no other', async () => {
    const token = await entra().client('Payroll job').token()
    expect(await (await orders(token)).json()).toEqual([{ id: 1 }])
    expect((await orders(token, 'POST')).status).toBe(403)
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

  it('accepts a token of the new key after a rotation', async () => {
    await entra().keys.rotate()
    expect((await orders(await entra().client('Payroll job').token())).status).toBe(200)
  })
})
