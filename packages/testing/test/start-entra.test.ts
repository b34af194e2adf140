import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startEntra, TokenRequestError } from '../src/index.ts'

const registrations = {
  apis: {
    'Orders API': { roles: ['Orders.Read', 'Orders.Write'] },
    'Invoices API': { roles: ['Invoices.Read'], tokenVersion: '2.0', isRoleRequired: true },
  },
  clients: {
    'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } },
    'Report job': { roles: { 'Orders API': ['Orders.Read'] }, hasConsent: false },
  },
} as const

const rolesIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).roles

describe('startEntra', () => {
  it('issues tokens with the roles that the registrations in the code grant', async () => {
    await using entra = await startEntra({ registrations })
    assert.deepEqual(rolesIn(await entra.client('Payroll job').token('Orders API')), [
      'Orders.Read',
    ])
    assert.equal(rolesIn(await entra.client('Report job').token('Orders API')), undefined)
    await assert.rejects(entra.client('Report job').token('Invoices API'), (error) => {
      assert.ok(error instanceof TokenRequestError)
      assert.deepEqual(error.errorCodes, [501051])
      return true
    })
  })

  const mistakes: [what: string, registrations: unknown, message: RegExp][] = [
    [
      'an unknown API',
      { apis: { A: { roles: ['R'] } }, clients: { C: { roles: { B: ['R'] } } } },
      /^registrations: the client "C" names the API "B", which does not exist \(APIs: A\)$/,
    ],
    [
      'a role that its API does not declare',
      { apis: { A: { roles: ['R'] } }, clients: { C: { roles: { A: ['r'] } } } },
      /^registrations: the client "C" names the role "r", which the API "A" lacks \(roles: R\)$/,
    ],
    [
      'a misspelt key of a client',
      { apis: { A: { roles: ['R'] } }, clients: { C: { role: { A: ['R'] } } } },
      /^registrations: the client "C" has the unknown key "role" \(keys: roles, credential, /,
    ],
    [
      'a misspelt key of an API',
      { apis: { A: { roles: ['R'], version: '2.0' } } },
      /^registrations: the API "A" has the unknown key "version" \(keys: roles, applicationId, /,
    ],
    [
      'a missing file',
      'nope.json',
      /^registrations: the file nope\.json cannot be read \(ENOENT\)$/,
    ],
  ]
  for (const [what, wrong, message] of mistakes)
    it(`names the mistake in JavaScript code: ${what}`, () =>
      assert.rejects(startEntra({ registrations: wrong as string }), { message }))

  it('reads a registrations file', async () => {
    const file = join(import.meta.dirname, '../../../services/greeting-api/registrations.json')
    await using entra = await startEntra({ registrations: file })
    assert.deepEqual(entra.api('Greeting API').roles, ['CallHiApiRole', 'CallHelloApiRole'])
    const token = await entra.client('Greeting client').token()
    assert.deepEqual(rolesIn(token), ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('serves HTTPS with a certificate from its authority', async () => {
    await using entra = await startEntra()
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const ca = await entra.certificateAuthority()
    request(`${entra.httpsUrl}/healthz`, { ca }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
    assert.equal(await promise, 200)
  })

  it('stops each listener', async () => {
    const entra = await startEntra({ registrations, mtlsPort: 0 })
    const discovery = await fetch(entra.api('Orders API').verification.discoveryUrl)
    const { mtls_endpoint_aliases: mutual } = await discovery.json()
    await entra.stop()
    for (const url of [entra.url, entra.httpsUrl ?? '', mutual.token_endpoint]) {
      const [error] = await once(connect(Number(new URL(url).port), '127.0.0.1'), 'error')
      assert.equal(error.code, 'ECONNREFUSED')
    }
  })

  it('runs several servers at once, each with its own issuer', async () => {
    const all = await Promise.all([1, 2, 3].map(() => startEntra({ registrations })))
    const issuers = all.map((entra) => entra.api('Orders API').verification.issuer)
    assert.equal(new Set(issuers).size, 3)
    await Promise.all(all.map((entra) => entra.stop()))
  })

  it('causes a type error for an unknown role, API or client', async () => {
    await using entra = await startEntra({ registrations })
    // @ts-expect-error the registrations have no such API
    assert.throws(() => entra.api('Payments API'), /have no "Payments API": they have Orders API, /)
    // @ts-expect-error the registrations have no such client
    assert.throws(() => entra.client('Payment job'), TypeError)
    const roles: readonly ('Orders.Read' | 'Orders.Write')[] = entra.api('Orders API').roles
    assert.equal(roles.length, 2)
    const wrong = { 'Orders API': ['Orders.Delete'] } as const
    const misspelt = { apis: registrations.apis, clients: { Job: { roles: wrong } } }
    // @ts-expect-error the API has no such role
    await assert.rejects(startEntra({ registrations: misspelt }), /Orders\.Delete/)
  })

  it('requires an API name for a token if several APIs exist', async () => {
    await using entra = await startEntra({ registrations })
    await assert.rejects(entra.client('Payroll job').token(), /Orders API, Invoices API/)
  })
})
