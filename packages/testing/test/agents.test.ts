import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startEntra, TokenRequestError } from '../src/index.ts'

const registrations = {
  apis: {
    'Orders API': { roles: ['Orders.Read', 'Orders.Write'], tokenVersion: '2.0' },
    'Invoices API': { roles: ['Invoices.Read'] },
  },
  blueprints: {
    Helpers: {
      roles: { 'Orders API': ['Orders.Write'], 'Invoices API': ['Invoices.Read'] },
      inherit: ['Orders API'],
      agents: { 'Agent 1': { roles: { 'Orders API': ['Orders.Read'] } }, 'Agent 2': {} },
    },
    Siblings: { agents: { 'Agent 3': {} }, credential: 'certificate' },
  },
} as const

const claimsIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const refusedWith = (code: number) => (error: unknown) => {
  assert.ok(error instanceof TokenRequestError)
  assert.deepEqual(error.errorCodes, [code])
  return true
}

describe('an agent in a test', () => {
  it('gets its own roles and the inherited roles', async () => {
    await using entra = await startEntra({ registrations })
    const rows = [
      ['Agent 1', 'Orders API', ['Orders.Read', 'Orders.Write']],
      ['Agent 2', 'Orders API', ['Orders.Write']],
      ['Agent 2', 'Invoices API', undefined],
      ['Agent 3', 'Orders API', undefined],
    ] as const
    for (const [name, api, roles] of rows) {
      const agent = entra.agent(name)
      const claims = claimsIn(await agent.token(api))
      assert.deepEqual(claims.roles?.toSorted(), roles, `${name} at ${api}`)
      assert.equal(claims.azp ?? claims.appid, agent.clientId)
      assert.equal(claims.oid, agent.clientId)
      assert.equal(claims.sub, agent.clientId)
    }
    assert.equal(entra.agent('Agent 3').blueprint.name, 'Siblings')
  })

  it('receives the tokens that the identity provider issues in two steps', async () => {
    await using entra = await startEntra({ registrations })
    const { blueprint, clientId } = entra.agent('Agent 1')
    const { aud, azp, roles, sub } = claimsIn(await blueprint.exchangeToken(clientId))
    assert.deepEqual(
      [aud, azp, roles],
      ['fb60f99c-7a34-4190-8149-302f77469936', blueprint.clientId, undefined],
    )
    assert.match(sub, new RegExp(`^/eid1/c/pub/t/[\\w-]{22}/a/[\\w-]{22}/${clientId}$`))
  })

  it('cannot use another blueprint, whose own token for an API is refused', async () => {
    await using entra = await startEntra({ registrations })
    const { blueprint, clientId } = entra.agent('Agent 1')
    await assert.rejects(
      entra.agent('Agent 3').blueprint.exchangeToken(clientId),
      refusedWith(700016),
    )
    await assert.rejects(blueprint.token('Orders API'), refusedWith(82001))
  })

  it('exists again after a reset', async () => {
    await using entra = await startEntra({ registrations })
    const before = claimsIn(await entra.agent('Agent 3').token('Orders API'))
    await entra.reset()
    const after = claimsIn(await entra.agent('Agent 3').token('Orders API'))
    assert.equal(after.azp, before.azp)
  })

  it('causes a type error if it does not exist', async () => {
    await using entra = await startEntra({ registrations })
    // @ts-expect-error the registrations have no such agent
    assert.throws(() => entra.agent('Agent 4'), /have no "Agent 4": they have Agent 1, /)
    const inherit = ['Payments API'] as const
    const misspelt = { ...registrations, blueprints: { B: { inherit, agents: {} } } }
    // @ts-expect-error the registrations have no such API
    await assert.rejects(startEntra({ registrations: misspelt }), /inherit\[0\]/)
  })

  it('appears in the error about an unknown API', async () => {
    const wrong = {
      ...registrations,
      blueprints: { B: { agents: { A: { roles: { X: ['R'] } } } } },
    }
    await assert.rejects(startEntra({ registrations: wrong as never }), {
      message: /^registrations: the client "A" names the API "X", which does not exist/,
    })
  })
})

it("agent forgeries have the format of the server's tokens", async () => {
  await using entra = await startEntra({ registrations })
  const { blueprint, clientId } = entra.agent('Agent 1')
  const issued = claimsIn(await blueprint.exchangeToken(clientId))
  const apis = ['Orders API', 'Invoices API'] as const
  const forgeries = (await Promise.all(apis.map((api) => entra.forgeries(api)))).flat()
  const forged = forgeries.filter(({ name }) => name.startsWith('agent_exchange_token'))
  assert.equal(forged.length, 6)
  for (const { name, token } of forged) {
    const { aud, iss, sub, ver } = claimsIn(token)
    assert.deepEqual([aud, iss, ver], [issued.aud, issued.iss, issued.ver], name)
    const form = (subject: string) => subject.replaceAll(/[0-9a-f-]{36}|[\w-]{22}/g, '?')
    assert.equal(form(sub), form(issued.sub), name)
  }
})
