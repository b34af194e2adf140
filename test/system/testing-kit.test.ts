import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientSecret, createTokenSource } from '@greeting/client'
import { createGuard, entra as entraOptions } from '@greeting/guard'
import { startEntra } from '@greeting/testing'
import { useEntra } from '@greeting/testing/node-test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'

const registrations = {
  apis: {
    'Orders API': { roles: ['Orders.Read'] },
    'Invoices API': { roles: ['Invoices.Read'], tokenVersion: '2.0' },
  },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

describe('a guard in a test', () => {
  const entra = useEntra({ registrations })

  for (const tokenVersion of ['1.0', '2.0'] as const)
    it(`receives the options for an API with tokens of version ${tokenVersion}`, async () => {
      await using entra = await startEntra({
        registrations: {
          apis: { A: { roles: ['R'], tokenVersion } },
          clients: { C: { roles: { A: ['R'] } } },
        },
      })
      const api = entra.api('A')
      const token = await entra.client('C').token('A')
      const guard = createGuard(entraOptions(api.guardOptions))
      const decision = await guard.decide({ authorization: `Bearer ${token}`, target: '/' }, 'R')
      guard.stop()
      assert.equal(decision.outcome, 'admitted', JSON.stringify(decision))

      // As another library does: by the discovery document alone.
      const { issuer, audience, keySetUrl, discoveryUrl } = api.verification
      const discovered = await (await fetch(discoveryUrl)).json()
      assert.deepEqual([discovered.issuer, discovered.jwks_uri], [issuer, keySetUrl])
      const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(keySetUrl)), {
        issuer,
        audience,
      })
      assert.equal(payload.ver, tokenVersion)
      assert.equal(api.environment.TOKEN_VERSIONS, tokenVersion)
    })

  it('reports that a refused token has a test key, in its event and its error', async () => {
    const { testKeys: _, ...strict } = entraOptions(entra().api('Orders API').guardOptions)
    const told: string[] = []
    const guard = createGuard({
      ...strict,
      listener: (event) => {
        if (event.type === 'key_unused') told.push(event.fault)
        if (event.type === 'key_set_refresh_failed') told.push(event.error.message)
      },
    })
    await guard.start()
    guard.stop()
    assert.equal(told[0], 'test_key')
    assert.match(told.at(-1) ?? '', /: no_usable_key \(\d with test_key\)$/)
  })

  it('accepts tokens with test keys only if the option is set', async () => {
    const token = await entra().client('Payroll job').token('Orders API')
    const options = entraOptions(entra().api('Orders API').guardOptions)
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

  it('accepts tokens with generated keys without the option', async () => {
    await using entra = await startEntra({ registrations, signingKeys: 'generated' })
    const guard = createGuard({
      ...entraOptions(entra.api('Orders API').guardOptions),
      testKeys: 'refused',
    })
    await guard.start()
    const token = await entra.client('Payroll job').token('Orders API')
    const credentials = { authorization: `Bearer ${token}`, target: '/orders' }
    assert.equal((await guard.decide(credentials, 'Orders.Read')).outcome, 'admitted')
    guard.stop()
  })

  for (const [api, role, tokenVersions] of [
    ['Orders API', 'Orders.Read', ['1.0']],
    ['Invoices API', 'Invoices.Read', ['2.0']],
  ] as const) {
    it(`refuses every forgery for the ${api}`, async () => {
      const { guardOptions } = entra().api(api)
      const guard = createGuard(
        entraOptions<string>({ ...guardOptions, tokenVersions: [...tokenVersions] }),
      )
      await guard.start()
      await entra().assertRefusesForgeries(api, async (token) => {
        const credentials = { authorization: `Bearer ${token}`, target: '/orders' }
        const decision = await guard.decide(credentials, role)
        return { status: decision.outcome === 'admitted' ? 200 : decision.status }
      })
      guard.stop()
    })
  }

  it("follows the test's clock", async () => {
    const options = entraOptions<string>(entra().api('Orders API').guardOptions)
    const guard = createGuard(options, { wallClockMs: entra().clock.wallClockMs })
    await guard.start()
    const authorization = `Bearer ${await entra().client('Payroll job').token('Orders API')}`
    const outcome = async () =>
      (await guard.decide({ authorization, target: '/' }, 'Orders.Read')).outcome
    assert.equal(await outcome(), 'admitted')
    entra().clock.advance({ hours: 2 })
    assert.equal(await outcome(), 'refused')
    guard.stop()
  })
})

describe('the token lifetime for an API', () => {
  const entra = useEntra({
    registrations: {
      apis: {
        Orders: { roles: ['Orders.Read'], tokenLifetimeSeconds: 600 },
        Archive: { roles: ['Archive.Read'], tokenLifetimeSeconds: 86_400 },
      },
      clients: { Job: { roles: { Orders: ['Orders.Read'], Archive: ['Archive.Read'] } } },
    },
  })

  for (const [name, role, seconds] of [
    ['Orders', 'Orders.Read', 600],
    ['Archive', 'Archive.Read', 86_400],
  ] as const)
    it(`lets a token for ${name} expire after ${seconds} seconds, although its key retires earlier`, async () => {
      const { clock, keys, tokenEndpoint } = entra()
      clock.freeze()
      const { clientId, clientSecret: secret } = entra().client('Job')
      const { guardOptions, scope } = entra().api(name)
      const form = { grant_type: 'client_credentials', client_id: clientId, scope }
      const body = new URLSearchParams({ ...form, client_secret: secret })
      const answer = await (await fetch(tokenEndpoint, { method: 'POST', body })).json()
      const now = Math.floor(clock.now().getTime() / 1000)
      const { exp, iat } = decodeJwt(answer.access_token)
      assert.deepEqual([answer.expires_in, exp, iat], [seconds - 1, now + seconds, now - 300])

      await keys.rotate()
      const options = entraOptions<string>(guardOptions)
      const runtime = { wallClockMs: clock.wallClockMs }
      const authorization = `Bearer ${answer.access_token}`
      const outcome = async () => {
        // A new guard knows only the keys that are published now.
        const guard = createGuard({ ...options, clockToleranceSeconds: 0 }, runtime)
        await guard.start()
        const decision = await guard.decide({ authorization, target: '/' }, role)
        guard.stop()
        return decision.outcome === 'admitted' ? 'admitted' : decision.reason
      }
      clock.advance({ seconds: seconds - 1 })
      assert.equal(await outcome(), 'admitted')
      clock.advance({ seconds: 1 })
      assert.equal(await outcome(), 'expired')
      await entra().reset()
      const { expires_in } = await (await fetch(tokenEndpoint, { method: 'POST', body })).json()
      assert.equal(expires_in, seconds - 1, 'also after a reset')
    })

  for (const seconds of [599, 86_401])
    it(`is refused by Microsoft Graph if it is ${seconds} seconds`, async () => {
      const apis = { Orders: { roles: ['Orders.Read'], tokenLifetimeSeconds: seconds } }
      await assert.rejects(startEntra({ registrations: { apis } }), {
        code: 'graph_request_refused',
        message: /TokenLifetimePolicy|definition/,
      })
    })
})

describe('the judge of the testing kit', () => {
  const entra = useEntra({ registrations })

  for (const fault of [
    { fault: 'throttled', retryAfterSeconds: 2 },
    { fault: 'status' },
    { fault: 'reset' },
    { fault: 'cut' },
    { fault: 'empty' },
    { fault: 'malformed' },
    { fault: 'not_json' },
    { fault: 'secret_refused' },
    { fault: 'token_expired' },
  ] as const) {
    it(`detects no misuse by the client during the fault ${fault.fault}`, async () => {
      const { clock, faults, tenantId, url } = entra()
      clock.freeze()
      const { clientId, clientSecret: secret } = entra().client('Payroll job')
      const { scope } = entra().api('Orders API')
      const tokens = createTokenSource({
        authority: `${url}/${tenantId}`,
        clientId,
        scope,
        credential: clientSecret(secret),
        runtime: {
          wallClockMs: clock.wallClockMs,
          monotonicMs: clock.wallClockMs,
          random: () => 0.9,
          sleep: async (milliseconds) => clock.advance({ milliseconds }),
        },
      })
      faults.add({ at: 'token', times: 2, ...fault })
      await Promise.allSettled([1, 2, 3].map(() => tokens.token()))
      assert.ok(entra().requests.all({ fault: fault.fault }).length > 0)
      assert.deepEqual(entra().judge(), [])
    })
  }
})
