import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientSecrets } from '../../src/credentials/credential.ts'
import { settled, tokenSourceIn } from '../fakes/token-source-in.ts'
import {
  type Answer,
  grant,
  json,
  noConnection,
  refusal,
  silence,
  VirtualRuntime,
} from '../fakes/virtual-runtime.ts'

describe('a token source', () => {
  it('sends the token request of contract C49 to C56 only to the configured endpoint (CL3)', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    assert.equal(await tokenSourceIn(environment).token(), 't1')
    const [request] = environment.sent
    assert.equal(request?.method, 'POST')
    assert.equal(request?.url, 'https://login.example/tenant/oauth2/v2.0/token')
    assert.match(request?.headers.get('content-type') ?? '', /^application\/x-www-form-urlencoded/)
    assert.deepEqual(Object.fromEntries(request?.form ?? []), {
      grant_type: 'client_credentials',
      scope: 'api://api-id/.default',
      client_id: 'client-id',
      client_secret: 'secret-value',
    })
  })

  it('sends one request for 10,000 concurrent calls (CL8)', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const source = tokenSourceIn(environment)
    const tokens = await Promise.all(Array.from({ length: 10_000 }, () => source.token()))
    assert.equal(environment.sent.length, 1)
    assert.deepEqual([...new Set(tokens)], ['t1'])
  })

  it('keeps the token until shortly before its expiry', async () => {
    const environment = new VirtualRuntime(grant('t1', 100), noConnection)
    const source = tokenSourceIn(environment, { marginSeconds: 30, deadlineMs: 1 })
    await source.token()
    environment.pass(69_999)
    assert.equal(await source.token(), 't1')
    await settled()
    environment.pass(1)
    await assert.rejects(source.token(), { code: 'authority_unreachable' })
  })

  it('renews the token early in the background, and returns the old token meanwhile (CL8)', async () => {
    const environment = new VirtualRuntime(grant('t1', 100), grant('t2', 100))
    const source = tokenSourceIn(environment)
    await source.token()
    environment.pass(64_999)
    assert.equal(await source.token(), 't1')
    await settled()
    assert.equal(environment.sent.length, 1)
    environment.pass(1)
    assert.deepEqual(await Promise.all([source.token(), source.token()]), ['t1', 't1'])
    await settled()
    assert.equal(environment.sent.length, 2)
    assert.equal(await source.token(), 't2')
  })

  it('ignores a failed renewal, and sends no request for a while', async () => {
    const environment = new VirtualRuntime(grant('t1', 1000), noConnection)
    const source = tokenSourceIn(environment)
    await source.token()
    environment.pass(650_000)
    for (let call = 0; call < 100; call += 1) {
      assert.equal(await source.token(), 't1')
      await settled()
    }
    assert.equal(environment.sent.length, 2)
    environment.pass(60_000)
    assert.equal(await source.token(), 't1')
    await settled()
    assert.equal(environment.sent.length, 3)
  })

  it('drops a refused token only if it is still the current token', async () => {
    const environment = new VirtualRuntime(grant('t1'), grant('t2'))
    const source = tokenSourceIn(environment)
    assert.equal(await source.token(), 't1')
    source.drop('another')
    assert.equal(await source.token(), 't1')
    source.drop('t1')
    assert.equal(await source.token(), 't2')
    source.drop('t1')
    assert.equal(await source.token(), 't2')
    assert.equal(environment.sent.length, 2)
  })

  it('keeps a token if the server returns it again after its refusal', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const source = tokenSourceIn(environment)
    source.drop(await source.token())
    await source.token()
    await source.token()
    assert.equal(environment.sent.length, 2)
  })

  it('obtains a new token if it is forced', async () => {
    const environment = new VirtualRuntime(grant('t1'), grant('t2'))
    const source = tokenSourceIn(environment)
    await source.token()
    assert.equal(await source.token({ force: true }), 't2')
  })

  it('continues a request for other callers after one caller aborts', async () => {
    let answer: (response: Response) => void = () => undefined
    const slow: Answer = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const source = tokenSourceIn(new VirtualRuntime(slow))
    const leaving = new AbortController()
    const impatient = source.token({ signal: leaving.signal })
    const patient = source.token()
    leaving.abort(new Error('no time'))
    await assert.rejects(impatient, { message: 'no time' })
    answer(Response.json({ token_type: 'Bearer', expires_in: 60, access_token: 't1' }))
    assert.equal(await patient, 't1')
  })

  for (const expiresIn of [null, 0, -5, 'soon']) {
    it(`uses a token with expires_in ${expiresIn} once, without caching it`, async () => {
      const environment = new VirtualRuntime(grant('t1', expiresIn), grant('t2', expiresIn))
      const source = tokenSourceIn(environment)
      assert.deepEqual(await Promise.all([source.token(), source.token()]), ['t1', 't1'])
      assert.equal(await source.token(), 't2')
    })
  }
})

describe('retries', () => {
  const passing: readonly (readonly [string, Answer])[] = [
    ['429', json(429, {})],
    ['500', json(500, { error: 'server_error' })],
    ['503', json(503, {})],
    ['a broken connection', noConnection],
    ['HTML instead of JSON', () => new Response('<html>')],
  ]
  for (const [fault, answer] of passing) {
    it(`follow ${fault}`, async () => {
      const environment = new VirtualRuntime(answer, answer, grant('t1'))
      assert.equal(await tokenSourceIn(environment).token(), 't1')
      assert.deepEqual(environment.sleptMs, [125, 250])
    })
  }

  it('follow a server timeout (CL11)', async () => {
    const environment = new VirtualRuntime(
      silence(() => environment, 5_000),
      grant('t1'),
    )
    assert.equal(await tokenSourceIn(environment).token(), 't1')
  })

  const lasting: readonly (readonly [string, Answer, string])[] = [
    ['a refused credential', refusal('invalid_client'), 'credential_refused'],
    ['an unknown client', refusal('unauthorized_client', 700016, 400), 'token_refused'],
    ['a wrong scope', refusal('invalid_scope', 1002012, 400), 'token_refused'],
    [
      'a redirect (CL4)',
      () => Response.redirect('https://evil.example/'),
      'authority_answer_invalid',
    ],
    ['an unknown path', () => new Response('', { status: 404 }), 'authority_unreachable'],
    [
      'a token of an unknown type',
      json(200, { access_token: 'a', token_type: 'mac' }),
      'authority_answer_invalid',
    ],
  ]
  for (const [fault, answer, code] of lasting) {
    it(`do not follow ${fault}, which is permanent`, async () => {
      const environment = new VirtualRuntime(answer)
      await assert.rejects(tokenSourceIn(environment).token(), { code })
      assert.equal(environment.sent.length, 1)
    })
  }

  it('stop at the deadline, and the error contains the number of attempts (CL11)', async () => {
    const environment = new VirtualRuntime(noConnection)
    await assert.rejects(
      tokenSourceIn(environment, { deadlineMs: 2_000 }).token(),
      (error: unknown) => {
        assert.ok(error instanceof Error && 'details' in error)
        assert.match(error.message, /could not be reached at .* no program listens/)
        assert.deepEqual(error.details, { attempts: 5, fault: 'connection_refused' })
        return true
      },
    )
    assert.ok(environment.passedMs <= 2_000)
  })

  it('wait for the seconds in Retry-After, plus a random time (CL9)', async () => {
    const environment = new VirtualRuntime(json(429, {}, { 'retry-after': '3' }), grant('t1'))
    await tokenSourceIn(environment).token()
    assert.deepEqual(environment.sleptMs, [3_125])
  })

  it('send no request before Retry-After has passed, however many calls are made', async () => {
    const busy = json(503, {}, { 'retry-after': '60' })
    const environment = new VirtualRuntime(busy, grant('t1'))
    const source = tokenSourceIn(environment)
    await assert.rejects(source.token(), {
      details: { status: 503, attempts: 1, retryAfterMs: 60_000 },
    })
    environment.pass(20_000)
    await assert.rejects(source.token(), {
      details: { status: 503, attempts: 1, retryAfterMs: 40_000 },
    })
    assert.equal(environment.sent.length, 1)
    environment.pass(35_000)
    assert.equal(await source.token(), 't1')
    assert.equal(environment.sent.length, 2)
  })

  it('fail at once if Retry-After is beyond the deadline', async () => {
    const environment = new VirtualRuntime(json(503, {}, { 'retry-after': '60' }))
    await assert.rejects(tokenSourceIn(environment).token(), { code: 'authority_unreachable' })
    assert.deepEqual(environment.sleptMs, [])
  })
})

describe('several client secrets', () => {
  it('are tried in turn, and the accepted secret comes first later', async () => {
    const accepted: Answer = (request, signal) =>
      request.form.get('client_secret') === 'next'
        ? grant('t', 0)(request, signal)
        : refusal('invalid_client')(request, signal)
    const environment = new VirtualRuntime(accepted)
    const source = tokenSourceIn(environment, { credential: clientSecrets('current', 'next') })
    await source.token()
    await source.token()
    const secrets = environment.sent.map(({ form }) => form.get('client_secret'))
    assert.deepEqual(secrets, ['current', 'next', 'next'])
  })

  it('are all tried before the source reports a refusal', async () => {
    const environment = new VirtualRuntime(refusal('invalid_client'))
    const source = tokenSourceIn(environment, { credential: clientSecrets('current', 'next') })
    await assert.rejects(source.token(), { code: 'credential_refused' })
    assert.equal(environment.sent.length, 2)
  })
})
