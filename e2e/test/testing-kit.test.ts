import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, entra as entraOptions } from '@greeting/guard'
import { startEntra } from '@greeting/testing'

const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

describe('a guard of a test', () => {
  it('accepts the tokens, and without the option for test keys it does not', async () => {
    await using entra = await startEntra({ registrations })
    const token = await entra.client('Payroll job').token()
    const options = entraOptions(entra.api('Orders API').guardOptions)
    for (const [testKeys, outcome] of [
      ['accepted', 'admitted'],
      ['refused', 'refused'],
    ] as const) {
      const guard = createGuard({ ...options, testKeys })
      await guard.start()
      const credentials = { authorization: `Bearer ${token}`, target: '/orders' }
      assert.equal((await guard.decide(credentials, 'Orders.Read')).outcome, outcome)
      guard.stop()
    }
  })

  it('accepts keys that were generated without the option', async () => {
    await using entra = await startEntra({ registrations, signingKeys: 'generated' })
    const guard = createGuard({
      ...entraOptions(entra.api('Orders API').guardOptions),
      testKeys: 'refused',
    })
    await guard.start()
    const token = await entra.client('Payroll job').token()
    const credentials = { authorization: `Bearer ${token}`, target: '/orders' }
    assert.equal((await guard.decide(credentials, 'Orders.Read')).outcome, 'admitted')
    guard.stop()
  })
})
