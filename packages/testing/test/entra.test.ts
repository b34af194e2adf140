import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startEntra } from '../src/index.ts'

const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

const keyIds = async (url: string) => {
  const { keys } = await (await fetch(`${url}/common/discovery/keys`)).json()
  return keys.map(({ kid }: { kid: string }) => kid)
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('reset', () => {
  it('restores the initial directory, secrets, keys and clock', async () => {
    await using entra = await startEntra({ registrations })
    const before = await keyIds(entra.url)
    const graph = {
      authorization: `Bearer ${await entra.administrator.token()}`,
      'content-type': 'application/json',
    }
    const applications = `${entra.url}/v1.0/applications`
    const body = JSON.stringify({ displayName: 'Another job' })
    assert.equal((await fetch(applications, { method: 'POST', headers: graph, body })).status, 201)
    entra.clock.advance({ days: 200 })
    assert.notDeepEqual(await keyIds(entra.url), before)

    await entra.reset()
    assert.deepEqual(await keyIds(entra.url), before)
    assert.ok(Math.abs(entra.clock.now().getTime() - Date.now()) < 60_000)
    const { value } = await (await fetch(applications, { headers: graph })).json()
    const names = value.map((one: { displayName: string }) => one.displayName)
    assert.ok(names.includes('Payroll job') && !names.includes('Another job'))
    await entra.client('Payroll job').token()
  })

  it('can be repeated', async () => {
    await using entra = await startEntra({ registrations })
    for (let round = 0; round < 5; round += 1) {
      await entra.reset()
      assert.deepEqual(claimsOf(await entra.client('Payroll job').token()).roles, ['Orders.Read'])
    }
  })
})

describe('the clock', () => {
  it('changes the times of tokens, and lets secrets expire', async () => {
    await using entra = await startEntra({ registrations })
    entra.clock.freeze(new Date('2031-01-01T00:00:00Z'))
    await assert.rejects(entra.client('Payroll job').token(), { errorCodes: [7000222] })
    entra.clock.reset()
    entra.clock.freeze(new Date(entra.clock.now().getTime() + 3_600_000))
    const { iat } = claimsOf(await entra.client('Payroll job').token())
    assert.equal(iat, Math.floor(entra.clock.now().getTime() / 1000) - 300)
  })
})
