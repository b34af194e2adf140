import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reportCountedRefusals } from '../../src/endpoints/counted-refusals.ts'
import { FailedLoginRateLimit } from '../../src/endpoints/failed-login-rate-limit.ts'
import { accessRefusalRows } from '../../src/refusals/access-refusal-rows.ts'
import { asProof, assertionOf, clientCertificate } from './client-certificate.ts'
import { issuanceRefusalScenarios } from './issuance-refusal-scenarios.ts'
import { type TestService, testService } from './test-service.ts'

const strangeId = '99999999-0000-4000-8000-000000000000'
const limit = 5
const flood = 100

const slow = () =>
  testService({
    throttle: new FailedLoginRateLimit(
      { perClientPerMinute: 1000, perSourcePerMinute: limit },
      () => 0,
    ),
  })

type Sent = { readonly form: Record<string, string> | string; readonly path?: string }

const unsigned = (claims: object) =>
  `${encoded({ alg: 'RS256', kid: 'x' })}.${encoded(claims)}.${encoded({})}`
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Requests that are refused before authentication. */
const floods: readonly [string, (service: TestService) => Sent | Promise<Sent>][] = [
  ['an unknown tenant', ({ form }) => ({ form: form(), path: `/${strangeId}/oauth2/v2.0/token` })],
  ['a malformed tenant', ({ form }) => ({ form: form(), path: '/a..b/oauth2/v2.0/token' })],
  ['an unknown client', ({ form }) => ({ form: form({ client_id: strangeId }) })],
  ['a wrong secret', ({ form }) => ({ form: form({ client_secret: 'wrong' }) })],
  ['an assertion that is no JWT', ({ form }) => ({ form: form(asProof('x')) })],
  [
    'an assertion of another client',
    async ({ form }) => ({
      form: form(asProof(await assertionOf(await certificate, { claims: { iss: strangeId } }))),
    }),
  ],
  [
    'an assertion of an unknown federated credential',
    ({ form }) => {
      const claims = { iss: 'https://evil.test', sub: 's', aud: 'a', exp: 4_000_000_000 }
      return { form: form(asProof(unsigned(claims))) }
    },
  ],
  ['no client ID', ({ form }) => ({ form: form({ client_id: '' }) })],
  ['an unreadable form', () => ({ form: 'grant_type=%' })],
  ['no valid scope', ({ form }) => ({ form: form({ scope: 'openid' }) })],
]
const certificate = clientCertificate()

describe('a flood of refused requests (AS34)', () => {
  for (const [what, request] of floods) {
    it(`with ${what} gets 429 beyond the limit, and adds one audit record and one log line`, async () => {
      const service = await slow()
      const { form, path } = await request(service)
      const statuses: number[] = []
      for (let count = 0; count < flood; count += 1)
        statuses.push((await service.token(form, path === undefined ? {} : { path })).status)
      assert.ok(
        statuses.slice(0, limit).every((status) => status === 400 || status === 401),
        `${statuses.slice(0, limit)}`,
      )
      assert.deepEqual(new Set(statuses.slice(limit)), new Set([429]))
      assert.ok(service.audit.length <= limit, `${service.audit.length} rows`)
      assert.ok(service.audit.every(({ lane }) => lane === 'unauthenticated'))
      assert.equal(service.logged.length, limit)

      reportCountedRefusals(service.options)
      const rows = service.audit.filter(({ action }) => action === 'token.throttle')
      assert.deepEqual(
        rows.map(({ outcome, reason, lane }) => [outcome, reason, lane]),
        [['refused', `${flood - limit} requests`, 'unauthenticated']],
      )
      assert.equal(service.logged.length, limit + 1)
      reportCountedRefusals(service.options)
      assert.equal(service.logged.length, limit + 1)
    })
  }

  it('does not affect valid requests from the same source', async () => {
    const service = await slow()
    for (let count = 0; count < flood; count += 1) {
      await service.token(service.form({ client_id: strangeId }))
      if (count % 10 === 0) assert.equal((await service.token(service.form())).status, 200)
    }
  })

  for (const scenario of issuanceRefusalScenarios) {
    const { reason, when = '', status } = scenario
    if (!Object.hasOwn(accessRefusalRows, reason)) continue
    it(`excludes refusals after authentication: ${reason} ${when}`, async () => {
      const service = await slow()
      const { path, form = {} } = await scenario.request(service)
      for (let count = 0; count < 2 * limit; count += 1)
        assert.equal((await service.token(form, path === undefined ? {} : { path })).status, status)
      assert.equal(service.audit.length, 2 * limit)
      assert.ok(service.audit.every(({ lane }) => lane === 'signIns'))
    })
  }

  it('gets 503 while the store is unavailable, and is limited in the same way', async () => {
    const { StorageUnavailableError } = await import('@greeting/directory/live')
    const service = await testService({
      throttle: new FailedLoginRateLimit(
        { perClientPerMinute: 1000, perSourcePerMinute: limit },
        () => 0,
      ),
      directory: { read: () => Promise.reject(new StorageUnavailableError('away')) },
    })
    for (let count = 0; count < flood; count += 1)
      assert.equal((await service.token(service.form())).status, 503)
    assert.equal(service.logged.length, limit)
  })
})
