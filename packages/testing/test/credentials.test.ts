import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startEntra } from '../src/index.ts'
import { useEntra } from '../src/node-test.ts'

const roles = { 'Orders API': ['Orders.Read'] } as const
const apis = { 'Orders API': { roles: ['Orders.Read'] } } as const

const rolesIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).roles

describe('a client without a secret', () => {
  const entra = useEntra({
    registrations: {
      apis,
      clients: {
        'Invoice job': { roles, credential: 'certificate' },
        'Build pipeline': { roles, credential: 'federated' },
      },
    },
  })

  for (const name of ['Invoice job', 'Build pipeline'] as const) {
    it(`gets a token with its assertion, even after a reset: ${name}`, async () => {
      assert.deepEqual(entra().requests.all(), [])
      for (let round = 0; round < 2; round += 1) {
        assert.deepEqual(rolesIn(await entra().client(name).token()), ['Orders.Read'])
        assert.equal(entra().requests.last()?.credentialPlace, 'assertion')
        await entra().reset()
      }
      assert.throws(() => entra().client(name).clientSecret, /has no secret/)
    })
  }

  it('signs a new assertion with its certificate for each request, which no other client can use', async () => {
    const client = entra().client('Invoice job')
    assert.notEqual(await client.assertion(), await client.assertion())
    assert.match(client.certificate.certificate, /^-----BEGIN CERTIFICATE-----/)
    const response = await fetch(entra().tokenEndpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: entra().client('Build pipeline').clientId,
        scope: entra().api('Orders API').scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await client.assertion(),
      }),
    })
    assert.deepEqual((await response.json()).error_codes, [700021])
  })

  it("follows the test's clock", async () => {
    entra().clock.advance({ days: 100 })
    for (const name of ['Invoice job', 'Build pipeline'] as const) {
      await entra().client(name).token()
    }
    entra().clock.advance({ days: 3650 })
    await assert.rejects(entra().client('Invoice job').token(), { errorCodes: [1000502] })
    await entra().client('Build pipeline').token()
  })
})

describe('the token issuer of the kit', () => {
  const entra = useEntra({ registrations: { apis, clients: { 'Payroll job': { roles } } } })

  it('is trusted only for the subject of a credential that was added through Microsoft Graph', async () => {
    const { clientId } = entra().client('Payroll job')
    const { federation, graph } = entra()
    await graph.trust(clientId, { issuer: federation.issuer, subject: 'repo:orders' })
    const request = async (content: Parameters<typeof federation.token>[0]) => {
      const response = await fetch(entra().tokenEndpoint, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          scope: entra().api('Orders API').scope,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await federation.token(content),
        }),
      })
      return (await response.json()).error_codes ?? []
    }
    assert.deepEqual(await request({ subject: 'repo:orders' }), [])
    assert.deepEqual(await request({ subject: 'repo:other' }), [700213])
    assert.deepEqual(await request({ subject: 'repo:orders', audience: 'api://other' }), [700212])
    assert.deepEqual(await request({ subject: 'repo:orders', claims: { exp: 1 } }), [700024])
  })
})

it('keepState lets a reset restore objects that were registered through Microsoft Graph', async () => {
  await using entra = await startEntra({ registrations: { apis } })
  const names = async () => {
    const { value } = await entra.graph.send<{ value: { displayName: string }[] }>(
      'GET',
      '/applications',
    )
    return value.map(({ displayName }) => displayName)
  }
  await entra.graph.send('POST', '/applications', { displayName: 'Kept job' })
  const rotated = await entra.keys.rotate()
  entra.keepState()
  await entra.graph.send('POST', '/applications', { displayName: 'Other job' })
  await entra.keys.rotate()
  await entra.reset()
  assert.ok((await names()).includes('Kept job') && !(await names()).includes('Other job'))
  assert.equal(entra.keys.activeId, rotated)
})
