import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FetchWithTokenOptions, fetchWithToken } from '../../src/call/fetch-with-token.ts'
import type { TokenSource } from '../../src/token/token-source.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import {
  type Answer,
  json,
  noConnection,
  silence,
  text,
  VirtualRuntime,
} from '../fakes/virtual-runtime.ts'

/** A fake token source: returns t1, and the next token after each drop of the current one. */
function tokensInTurn(): TokenSource & { readonly dropped: string[] } {
  let number = 1
  const dropped: string[] = []
  return {
    dropped,
    token: async () => `t${number}`,
    drop: (token) => {
      dropped.push(token)
      if (token === `t${number}`) number += 1
    },
  }
}

function callIn(environment: VirtualRuntime, options: Partial<FetchWithTokenOptions> = {}) {
  const tokens = tokensInTurn()
  const runtime = environment.runtime
  return fetchWithToken({ baseUrl: 'https://api.example', tokens, runtime, ...options })
}

const sentTokens = (environment: VirtualRuntime) =>
  environment.sent.map(({ headers }) => headers.get('authorization'))

const redirect = (location: string, status = 302) => text(status, '', { location })

describe('a fetch with a token', () => {
  it('sends the token only in the header (CL2)', async () => {
    const environment = new VirtualRuntime(text(200, 'Hi'))
    const response = await callIn(environment)('/api/v1/hi', { headers: { accept: 'text/plain' } })
    assert.equal(await response.text(), 'Hi')
    const [request] = environment.sent
    assert.equal(request?.url, 'https://api.example/api/v1/hi')
    assert.deepEqual(Object.fromEntries(request?.headers ?? []), {
      accept: 'text/plain',
      authorization: 'Bearer t1',
    })
  })

  it('appends paths to the base URL', async () => {
    const environment = new VirtualRuntime(text(200, ''))
    await callIn(environment, { baseUrl: 'https://api.example/behind/a/gateway/' })(
      '/api/v1/hi?x=1',
    )
    assert.equal(environment.sent[0]?.url, 'https://api.example/behind/a/gateway/api/v1/hi?x=1')
  })

  for (const url of ['https://evil.example/', 'http://api.example/', 'https://api.example:444/']) {
    it(`sends nothing to ${url}`, async () => {
      const environment = new VirtualRuntime(text(200, ''))
      await assert.rejects(callIn(environment)(url), { name: 'TypeError' })
      assert.equal(environment.sent.length, 0)
    })
  }

  it('returns other responses unchanged', async () => {
    for (const status of [400, 404, 409, 500]) {
      const environment = new VirtualRuntime(text(status, 'x'))
      assert.equal((await callIn(environment)('/')).status, status)
      assert.equal(environment.sent.length, 1)
    }
  })
})

describe('a 401 (CL9)', () => {
  it('drops the token, and the call is repeated once with a new token', async () => {
    const environment = new VirtualRuntime(text(401, ''), text(200, 'Hi'))
    assert.equal((await callIn(environment)('/')).status, 200)
    assert.deepEqual(sentTokens(environment), ['Bearer t1', 'Bearer t2'])
  })

  it('causes an error without another attempt if the API also refuses the new token', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="x", error="invalid_token"' }
    const environment = new VirtualRuntime(text(401, '', challenge))
    await assert.rejects(callIn(environment)('/'), {
      code: 'token_rejected',
      details: { status: 401, oauthError: 'invalid_token' },
    })
    assert.equal(environment.sent.length, 2)
  })

  const descriptions: readonly (readonly [said: string, remedy: RegExp])[] = [
    ['The access token is not valid yet', /clock of the API is behind/],
    ['The access token has expired', /clock of the API is ahead/],
    ['The access token is from another issuer', /trust the issuer/],
    ['The access token is from another tenant', /the tenant that the API trusts/],
    ['The access token is for another audience', /the scope of this API/],
    ['The signature of the access token could not be verified', /published keys/],
    ["The token is not yet valid: 'nbf' is in the future", /is behind/],
    ["The token expired at '01/01/2026 00:00:00'", /is ahead/],
    ["The audience 'api://x' is invalid", /the scope of this API/],
    ['The access token is malformed', /trusts this identity provider and this tenant/],
  ]
  for (const [said, remedy] of descriptions)
    it(`explains ${said}, with a remedy`, async () => {
      const challenge = `Bearer realm="x", error="invalid_token", error_description="${said}"`
      const environment = new VirtualRuntime(text(401, '', { 'www-authenticate': challenge }))
      await assert.rejects(callIn(environment)('/'), (error: unknown) => {
        assert.ok(error instanceof Error && 'remedy' in error)
        assert.equal(error.message, `The API does not accept the token (HTTP status 401): ${said}`)
        assert.match(String(error.remedy), remedy)
        return true
      })
    })

  it('drops a token only once if many simultaneous calls use it', async () => {
    const answer: Answer = (request, signal) =>
      text(request.headers.get('authorization') === 'Bearer t1' ? 401 : 200, '')(request, signal)
    const environment = new VirtualRuntime(answer)
    const call = callIn(environment)
    await Promise.all(Array.from({ length: 50 }, () => call('/')))
    assert.equal(sentTokens(environment).filter((token) => token === 'Bearer t2').length, 50)
    assert.equal(environment.sent.length, 100)
  })

  for (const [challenge, end] of [
    ['', ''],
    ['Bearer error_description="The access token has expired"', ': The access token has expired'],
  ] as const)
    it(`is reported${end}, and not retried, if the body can be read only once`, async () => {
      const environment = new VirtualRuntime(text(401, '', { 'www-authenticate': challenge }))
      const body = new ReadableStream()
      await assert.rejects(callIn(environment)('/', { method: 'POST', body }), {
        code: 'token_rejected',
        message: `The API does not accept the token (HTTP status 401)${end}`,
        remedy: 'Call again with a new body, which uses a new token: a stream is sent once.',
      })
      assert.equal(environment.sent.length, 1)
    })

  it('is reported without a description for both the old and the new token', async () => {
    await assert.rejects(callIn(new VirtualRuntime(text(401, '')))('/'), {
      message: 'The API does not accept the token (HTTP status 401), and did not accept a new one',
    })
  })
})

describe('a 403 (CL9)', () => {
  it('is never retried, and its error names the role and the remedy', async () => {
    const environment = new VirtualRuntime(json(403, { error: 'access_denied' }))
    await assert.rejects(callIn(environment)('/', { role: 'ReadOrders' }), (error: unknown) => {
      assert.ok(error instanceof Error && 'details' in error && 'remedy' in error)
      assert.match(error.message, /lacks the application role ReadOrders$/)
      assert.match(String(error.remedy), /^Grant ReadOrders to the client: .*admin consent/)
      assert.deepEqual(error.details, { status: 403, role: 'ReadOrders' })
      return true
    })
    assert.equal(environment.sent.length, 1)
  })

  it('is reported without its body if the body breaks off', async () => {
    const broken = new ReadableStream({ start: (body) => body.error(new Error('cut')) })
    const answer: Answer = () => new Response(broken, { status: 403 })
    await assert.rejects(callIn(new VirtualRuntime(answer))('/'), { code: 'role_missing' })
  })

  it('is returned if it reports a Microsoft Graph quota (entra E310)', async () => {
    const error = { code: 'Directory_QuotaExceeded', message: 'The quota has been exceeded.' }
    const response = await callIn(new VirtualRuntime(json(403, { error })))('/')
    assert.equal(response.status, 403)
    assert.deepEqual(await response.json(), { error })
  })
})

describe('a temporary API fault', () => {
  const faults: readonly (readonly [string, Answer])[] = [
    ['429', text(429, '')],
    ['502', text(502, '')],
    ['503', text(503, '')],
    ['504', text(504, '')],
    ['a broken connection', noConnection],
  ]
  for (const [fault, answer] of faults) {
    it(`such as ${fault} is retried with the same token`, async () => {
      const environment = new VirtualRuntime(answer, answer, text(200, ''))
      assert.equal((await callIn(environment)('/')).status, 200)
      assert.deepEqual(sentTokens(environment), ['Bearer t1', 'Bearer t1', 'Bearer t1'])
    })
  }

  it('is retried until the deadline, and the error names the fault', async () => {
    const environment = new VirtualRuntime(text(503, ''))
    await assert.rejects(callIn(environment, { deadlineMs: 1000 })('/'), {
      code: 'api_unreachable',
      details: { status: 503, attempts: 4 },
    })
  })

  it('is reported even if the deadline ends the last attempt', async () => {
    const silent: Answer = (...request) => silence(() => environment, 1000)(...request)
    const environment = new VirtualRuntime(noConnection, silent)
    await assert.rejects(callIn(environment, { deadlineMs: 1000 })('/'), {
      details: { attempts: 1, fault: 'connection_refused' },
    })
    assert.equal(environment.sent.length, 2)
  })

  it("at the identity provider is reported if the call's deadline comes first", async () => {
    const silent: Answer = (...request) => silence(() => environment, 1000)(...request)
    const environment = new VirtualRuntime(noConnection, silent)
    const tokens = tokenSourceIn(environment)
    await assert.rejects(callIn(environment, { tokens, deadlineMs: 1000 })('/'), {
      code: 'authority_unreachable',
      details: { attempts: 1, fault: 'connection_refused' },
    })
  })

  it('is retried after the seconds in Retry-After (CL9)', async () => {
    const environment = new VirtualRuntime(text(503, '', { 'retry-after': '2' }), text(200, ''))
    await callIn(environment)('/')
    assert.deepEqual(environment.sleptMs, [2_125])
  })

  it('is not retried for a method that is not idempotent (CL10)', async () => {
    const environment = new VirtualRuntime(noConnection)
    await assert.rejects(callIn(environment)('/', { method: 'POST' }), { code: 'api_unreachable' })
    assert.equal(environment.sent.length, 1)
    const busy = new VirtualRuntime(text(503, ''))
    assert.equal((await callIn(busy)('/', { method: 'post' })).status, 503)
    assert.equal(busy.sent.length, 1)
  })

  it('is not retried after the caller aborts', async () => {
    const stop = new AbortController()
    const environment = new VirtualRuntime(() => {
      stop.abort(new Error('enough'))
      throw new TypeError('fetch failed')
    })
    await assert.rejects(callIn(environment)('/', { signal: stop.signal }), { message: 'enough' })
    assert.equal(environment.sent.length, 1)
  })
})

describe('a redirect (CL4)', () => {
  it('within the same origin keeps the token', async () => {
    const environment = new VirtualRuntime(redirect('/elsewhere'), text(200, ''))
    await callIn(environment)('/')
    assert.equal(environment.sent[1]?.url, 'https://api.example/elsewhere')
    assert.deepEqual(sentTokens(environment), ['Bearer t1', 'Bearer t1'])
  })

  it('to another origin drops the token, even for later redirects', async () => {
    const back = redirect('https://api.example/')
    const environment = new VirtualRuntime(redirect('https://other.example/x'), back, text(200, ''))
    await callIn(environment)('/', { headers: { cookie: 'a=b' } })
    assert.deepEqual(sentTokens(environment), ['Bearer t1', null, null])
    assert.equal(environment.sent[1]?.headers.get('cookie'), null)
  })

  for (const location of [
    'http://other.example/',
    'ftp://api.example/',
    'https://u:p@api.example/',
  ]) {
    it(`to ${location} is not followed`, async () => {
      const environment = new VirtualRuntime(redirect(location))
      await assert.rejects(callIn(environment, { deadlineMs: 1 })('/'), { code: 'api_unreachable' })
      assert.equal(environment.sent.length, 1)
    })
  }

  it('is not followed forever in a loop', async () => {
    const environment = new VirtualRuntime(redirect('/'))
    await assert.rejects(callIn(environment, { deadlineMs: 1 })('/'), { code: 'api_unreachable' })
    assert.equal(environment.sent.length, 6)
  })

  it('is returned, but not followed, if the request changes data', async () => {
    const environment = new VirtualRuntime(redirect('/elsewhere', 307))
    assert.equal((await callIn(environment)('/', { method: 'POST' })).status, 307)
    assert.equal(environment.sent.length, 1)
  })
})
