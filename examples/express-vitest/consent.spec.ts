import { useEntra } from '@greeting/testing/vitest'
import { describe, expect, it } from 'vitest'

// vitest runs each file in a worker of its own, with its own identity provider.

describe('the payroll job', () => {
  const entra = useEntra({
    registrations: {
      apis: { 'Orders API': { roles: ['Orders.Read'] } },
      clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
    },
  })
  const roles = async () => {
    const [, claims = ''] = (await entra().client('Payroll job').token()).split('.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).roles
  }

  it('has its role until an administrator withdraws the consent', async () => {
    expect(await roles()).toEqual(['Orders.Read'])
    await entra().withdrawConsent('Payroll job', 'Orders API')
    expect(await roles()).toBeUndefined()
  })

  it('gets no token after the end of its secret', async () => {
    await entra().expireSecrets('Payroll job')
    await expect(roles()).rejects.toMatchObject({ errorCodes: [7000222] })
  })
})
