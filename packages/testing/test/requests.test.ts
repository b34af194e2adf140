import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { useEntra } from '../src/node-test.ts'

const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

describe('the recorded requests', () => {
  const entra = useEntra({ registrations })
  const rules = () =>
    entra()
      .judge()
      .map(({ rule }) => rule)

  /** Sends a request twice, without a pause on any clock, however slow the machine is. */
  async function sendTwice(t: TestContext, send: () => Promise<unknown>) {
    entra().clock.freeze()
    const nowMs = performance.now()
    const { mock } = t.mock.method(performance, 'now', () => nowMs)
    await send()
    await send()
    mock.restore()
  }

  it('show the client and the outcome, but no secret and no token', async () => {
    const client = entra().client('Payroll job')
    const issued = await client.token()
    const basic = btoa(`${client.clientId}:${client.clientSecret}`)
    await assert.rejects(
      fetch(`${entra().tokenEndpoint}?client_secret=in-the-query`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_assertion: issued }),
      }).then((response) => assert.ok(response.ok)),
    )
    const [first, second] = entra().requests.all()
    assert.equal(first?.clientId, client.clientId)
    assert.deepEqual([first?.status, first?.credentialPlace], [200, 'form'])
    assert.ok(first?.tokenExpiresAt !== undefined && first.tokenExpiresAt > new Date())
    assert.equal(first?.form.client_secret, '[redacted]')
    assert.deepEqual([second?.status, second?.credentialPlace], [400, 'query'])
    assert.ok((second?.errorCodes.length ?? 0) > 0)
    const text = JSON.stringify([first, second])
    for (const secret of [client.clientSecret, issued, 'in-the-query', basic]) {
      assert.ok(!text.includes(secret))
    }
  })

  it('show a multipart/form-data form without its secret', async () => {
    const { clientId, clientSecret } = entra().client('Payroll job')
    const body = new FormData()
    const given = { grant_type: 'client_credentials', client_id: clientId }
    for (const [name, value] of Object.entries({ ...given, client_secret: clientSecret }))
      body.append(name, value)
    await fetch(entra().tokenEndpoint, { method: 'POST', body })
    const last = entra().requests.last()
    assert.deepEqual([last?.clientId, last?.credentialPlace], [clientId, 'form'])
    assert.deepEqual(last?.form, { ...given, client_secret: '[redacted]' })
  })

  it('can be awaited', async () => {
    const next = entra().requests.next({ endpoint: 'keys' })
    await entra().client('Payroll job').token()
    await fetch(`${entra().url}/common/discovery/keys`, { headers: { 'x-greeting-run': 'run-7' } })
    assert.deepEqual(
      [(await next).endpoint, (await next).status, (await next).runId],
      ['keys', 200, 'run-7'],
    )
    await assert.rejects(entra().requests.next({ status: 418 }, 10), { code: 'no_request' })
  })

  it('are limited to 1000', async () => {
    const { requests } = entra()
    await fetch(`${entra().url}/common/discovery/keys`)
    const [one] = requests.all()
    for (let count = 0; count < 1000 && one; count += 1) requests.add(one)
    assert.deepEqual([requests.all().length, requests.count], [1000, 1001])
  })

  it('include no misuse if the client is correct', async () => {
    await entra().client('Payroll job').token()
    await fetch(`${entra().url}/common/discovery/keys`)
    assert.deepEqual(rules(), [])
  })

  it('are misuses if they ignore Retry-After or are repeated without a pause', async (t) => {
    const keys = () => fetch(`${entra().url}/common/discovery/keys`)
    entra().faults.add({ at: 'keys', fault: 'status', retryAfterSeconds: 30 })
    await keys()
    await keys()
    assert.deepEqual(rules(), ['retry_after_ignored'])
    await entra().reset()
    entra().faults.add({ at: 'keys', fault: 'status', retryAfterSeconds: 30 })
    await keys()
    entra().clock.advance({ seconds: 30 })
    await keys()
    assert.deepEqual(rules(), [])
    entra().faults.add({ at: 'keys', fault: 'status' })
    await sendTwice(t, keys)
    assert.deepEqual(rules(), ['repeated_without_pause'])
  })

  it('are misuses if they request two tokens at once, or another token while one is valid', async () => {
    const client = entra().client('Payroll job')
    entra().faults.add({ at: 'token', fault: 'delay', delayMs: 250 })
    await Promise.all([client.token(), client.token()])
    assert.deepEqual(rules(), ['concurrent_token_requests'])
    await entra().reset()
    await client.token()
    await client.token()
    assert.deepEqual(rules(), ['token_not_reused'])
    await entra().reset()
    await client.token()
    entra().clock.advance({ minutes: 58 })
    await client.token()
    assert.deepEqual(rules(), [])
  })

  it('are misuses with an expired token, a misplaced secret or a repeated refusal', async (t) => {
    const authorization = `Bearer ${await entra().administrator.token()}`
    entra().clock.advance({ hours: 2 })
    await fetch(`${entra().url}/v1.0/applications`, { headers: { authorization } })
    assert.deepEqual(rules(), ['expired_token_used'])
    await entra().reset()
    await fetch(`${entra().url}/common/discovery/keys?client_secret=x`)
    assert.deepEqual(rules(), ['secret_misplaced'])
    await entra().reset()
    const body = {
      grant_type: 'client_credentials',
      client_id: 'x',
      client_secret: 'y',
      scope: 'z',
    }
    await sendTwice(t, () =>
      fetch(entra().tokenEndpoint, { method: 'POST', body: new URLSearchParams(body) }),
    )
    assert.deepEqual(rules(), ['refusal_repeated'])
  })

  it('are a misuse if they fetch keys more than five times a minute', async () => {
    for (let count = 0; count < 6; count += 1) await fetch(`${entra().url}/common/discovery/keys`)
    assert.deepEqual(rules(), ['keys_not_cached'])
  })
})
