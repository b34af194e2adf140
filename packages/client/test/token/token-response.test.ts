import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { readTokenResponse } from '../../src/token/token-response.ts'

const judge = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readTokenResponse(
    {
      status,
      headers: new Headers(headers),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
    0,
    (text) => text.replaceAll('canary', '[redacted]'),
  )

const good = { token_type: 'Bearer', expires_in: 3599, access_token: 'a.b.c' }

describe("the server's error message", () => {
  it('is cleaned in linear time (CL18)', () => {
    const hostile = [' '.repeat(65_000), ' Trace ID:'.repeat(6500), '\t'.repeat(65_000)]
    // The first use of a regular expression compiles it.
    judge(400, { error: 'invalid_request', error_description: ' ' })
    for (const error_description of hostile) {
      const ms = processorMs(() => judge(400, { error: 'invalid_request', error_description }))
      assert.ok(ms < 50, error_description.slice(0, 10))
    }
  })

  it('excludes the IDs of its request', () => {
    const verdict = judge(400, {
      error: 'invalid_request',
      error_description: 'A sentence.\r\n  Trace ID: 1f Correlation ID: 2f',
    })
    assert.ok(verdict.kind === 'refused')
    assert.equal(verdict.description, 'A sentence.')
  })
})

describe('a token response with status 200', () => {
  const lifetimes: readonly (readonly [unknown, number])[] = [
    [3599, 3599],
    ['3599', 3599],
    [0.5, 0.5],
    [86_400, 86_400],
    [86_401, 86_400],
    [1e12, 86_400],
    ['99999999999999999999', 86_400],
    [undefined, 0],
    [null, 0],
    [0, 0],
    [-1, 0],
    ['-1', 0],
    ['', 0],
    ['soon', 0],
    ['1e9', 0],
    [true, 0],
    [[3599], 0],
    [{}, 0],
  ]
  for (const [expiresIn, lifetimeSeconds] of lifetimes) {
    it(`with expires_in ${JSON.stringify(expiresIn)} is valid for ${lifetimeSeconds} s (CL7)`, () => {
      const verdict = judge(200, { ...good, expires_in: expiresIn })
      assert.deepEqual(verdict, { kind: 'issued', token: 'a.b.c', lifetimeSeconds })
    })
  }

  for (const type of ['Bearer', 'bearer', 'BEARER']) {
    it(`may have the token type ${type} (CL7)`, () => {
      assert.equal(judge(200, { ...good, token_type: type }).kind, 'issued')
    })
  }

  for (const type of [undefined, null, '', 'DPoP', 'mac', 'Bearer ', 7, ['Bearer']]) {
    it(`is refused permanently with the token type ${JSON.stringify(type)} (CL7)`, () => {
      const verdict = judge(200, { ...good, token_type: type })
      assert.equal(verdict.kind, 'unusable')
      assert.equal(verdict.kind === 'unusable' && verdict.isTransient, false)
    })
  }

  const tokens = [undefined, null, '', 7, {}, 'a b', 'a\nb', 'é', 'a,b', `${'a'.repeat(16_385)}`]
  for (const token of tokens) {
    it(`is refused with ${JSON.stringify(token)?.slice(0, 20)} as a token`, () => {
      assert.equal(judge(200, { ...good, access_token: token }).kind, 'unusable')
    })
  }

  it('is refused with a remedy if its token is too large', () => {
    const verdict = judge(200, { ...good, access_token: 'a'.repeat(16_385) })
    assert.ok(verdict.kind === 'unusable')
    assert.equal(verdict.description, 'its access_token has 16385 characters, more than 16384')
    assert.match(
      verdict.remedy ?? '',
      /^The token contains too many roles .* Grant the client fewer roles/,
    )
  })

  it('may contain unknown members', () => {
    const verdict = judge(200, { ...good, ext_expires_in: 'x', refresh_token: 7, scope: [] })
    assert.equal(verdict.kind, 'issued')
  })

  for (const body of ['<html>sign in</html>', '', '{"access_token":"a.b', 'null', '"a.b.c"', '7']) {
    it(`that is ${body.slice(0, 20) || 'empty'} is a temporary fault`, () => {
      const verdict = judge(200, body)
      assert.equal(verdict.kind === 'unusable' && verdict.isTransient, true)
    })
  }
})

describe('a token response with another status', () => {
  const refusal = {
    error: 'invalid_client',
    error_description:
      'AADSTS7000222: The keys are expired.\r\nTrace ID: 1f Correlation ID: 2f Timestamp: 3',
    trace_id: '1f1f1f1f-0000-4000-8000-000000000001',
    correlation_id: '2f2f2f2f-0000-4000-8000-000000000002',
  }

  it("is a refusal with the server's message", () => {
    assert.deepEqual(judge(401, refusal), {
      kind: 'refused',
      description: 'AADSTS7000222: The keys are expired.',
      details: {
        status: 401,
        oauthError: 'invalid_client',
        aadstsCode: 7000222,
        correlationId: '2f2f2f2f-0000-4000-8000-000000000002',
        traceId: '1f1f1f1f-0000-4000-8000-000000000001',
      },
    })
  })

  it('is a refusal without an AADSTS code if another kind of server refuses', () => {
    const verdict = judge(400, { error: 'invalid_scope', correlation_id: '<script>' })
    assert.deepEqual(verdict, {
      kind: 'refused',
      description: 'invalid_scope',
      details: { status: 400, oauthError: 'invalid_scope' },
    })
  })

  it('reveals no part of the request, even after it is shortened', () => {
    const description = `${'x'.repeat(496)}canary`
    const verdict = judge(400, { error: 'canary', error_description: description })
    assert.equal(JSON.stringify(verdict).includes('can'), false)
  })

  it('has its long message shortened to one log line', () => {
    const verdict = judge(400, { error: 'invalid_scope', error_description: 'x'.repeat(10_000) })
    assert.equal(verdict.kind === 'refused' && verdict.description.length, 500)
  })

  for (const status of [408, 429, 500, 502, 503, 504, 599]) {
    it(`is a temporary fault for ${status}`, () => {
      const verdict = judge(status, '<html>', { 'retry-after': '7' })
      assert.equal(verdict.kind, 'unavailable')
      assert.equal(verdict.kind === 'unavailable' && verdict.retryAfterMs, 7000)
    })
  }

  it('is a temporary fault for 400 if the server reports that it is busy', () => {
    assert.equal(judge(400, { error: 'temporarily_unavailable' }).kind, 'unavailable')
  })

  for (const status of [301, 302, 307, 308, 404, 403, 201, 204]) {
    it(`is a permanent fault for ${status} without an OAuth error (CL4)`, () => {
      const verdict = judge(status, '<html>')
      assert.equal(verdict.kind === 'unusable' && verdict.isTransient, false)
    })
  }

  const html = { 'content-type': 'text/html; charset=utf-8' }
  const notFound = { error: 'not_found', error_description: 'There is nothing at this path' }
  const rows: readonly (readonly [number, unknown, Record<string, string>, isOther: boolean])[] = [
    [404, '', {}, true],
    [404, '<html>', html, true],
    [404, notFound, {}, true],
    [404, { detail: 'Not Found' }, {}, true],
    [405, { detail: 'Method Not Allowed' }, {}, true],
    [200, '<html>', html, true],
    [401, '<html>', html, true],
    [403, '<html>', html, true],
    [404, { error: 'invalid_client' }, {}, false],
    [404, { error: 'x', error_description: 'AADSTS90002: No tenant.' }, {}, false],
    [400, { error: 'invalid_scope' }, html, false],
    [400, { error: 'a_new_error' }, {}, false],
    [302, '<html>', html, false],
    [503, '<html>', html, false],
    [200, '<html>', {}, false],
  ]
  for (const [status, body, headers, isOther] of rows)
    it(`${status} ${JSON.stringify(body)} ${isOther ? 'comes from another program' : 'comes from an identity provider'} as ${headers['content-type'] ?? 'JSON'}`, () => {
      const verdict = judge(status, body, headers)
      assert.equal(verdict.kind === 'unusable' && verdict.isOther === true, isOther)
    })
})
