import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { type Service, startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'
import { type Answer, call, callWith } from './call.ts'

let provider: Awaited<ReturnType<typeof startFakeIdentityProvider>>
let signer: Signer
let otherSigner: Signer
let service: Service
let url = ''

before(async () => {
  provider = await startFakeIdentityProvider()
  signer = await Signer.make('key-1', provider.url)
  otherSigner = await Signer.make('key-1', provider.url)
  provider.publish(signer.jwk)
  const settings = readSettings({
    TENANT_ID: tenantId,
    API_APPLICATION_ID: apiApplicationId,
    // A local AUTH_URL is its own issuer.
    AUTH_URL: provider.url,
    PORT: '0',
  })
  service = await startService(settings, pino({ level: 'silent' }))
  url = service.url
})

after(async () => {
  await service.stop()
  await provider.stop()
})

const metadata = () =>
  `scope="api://${apiApplicationId}/.default", resource_metadata="${url}/.well-known/oauth-protected-resource"`

/** Asserts that an error is JSON with two string fields, `no-store` and `nosniff`. */
function assertError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.body)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  const body = JSON.parse(answer.body)
  assert.deepEqual(Object.keys(body), ['error', 'error_description'])
  assert.equal(body.error, error)
  assert.equal(typeof body.error_description, 'string')
  assert.ok(!answer.body.includes('eyJ'), 'no part of a token')
}

describe('a greeting', () => {
  it('is Hi for a client with its role', async () => {
    const answer = await callWith(
      url,
      '/api/v1/hi',
      await signer.token({ roles: ['CallHiApiRole'] }),
    )
    assert.equal(answer.status, 200)
    assert.equal(answer.body, 'Hi')
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.equal(answer.headers['cache-control'], 'no-store')
  })

  const names: [sent: string, greeted: string][] = [
    ['Ada', 'Ada'],
    ['', ''],
    ['Ada+Lovelace', 'Ada Lovelace'],
    ['Ada%20Lovelace', 'Ada Lovelace'],
    ['%2B%26%3D%23%25', '+&=#%'],
    ['%C3%A9%E4%B8%96%F0%9F%98%80', 'é世😀'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['%00%0A%0D%09', '\0\n\r\t'],
    ['%E2%80%AE%EF%BB%BF', '\u202e\ufeff'],
    ['100%25%20%C2%A7', '100% §'],
    ['a'.repeat(4000), 'a'.repeat(4000)],
    ['__proto__', '__proto__'],
    ['null', 'null'],
  ]
  for (const [sent, greeted] of names) {
    it(`contains the name ${JSON.stringify(greeted).slice(0, 40)} unchanged`, async () => {
      const answer = await callWith(url, `/api/v1/hello?name=${sent}`, await signer.token())
      assert.equal(answer.status, 200)
      assert.equal(answer.body, `Hello, ${greeted}`)
      assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    })
  }

  it('finds the name among other parameters', async () => {
    const answer = await callWith(url, '/api/v1/hello?x=1&name=Ada&Name=Bob', await signer.token())
    assert.equal(answer.body, 'Hello, Ada')
  })

  for (const query of [
    '',
    '?',
    '?Name=Ada',
    '?name=Ada&name=Ada',
    '?name=&name=',
    '?na%6De=a&name=b',
  ]) {
    it(`is refused with ${query || 'no query'}, but only for a client with the role`, async () => {
      const path = `/api/v1/hello${query}`
      assertError(await callWith(url, path, await signer.token()), 400, 'invalid_request')
      const hiOnly = await signer.token({ roles: ['CallHiApiRole'] })
      assertError(await callWith(url, path, hiOnly), 403, 'access_denied')
      assertError(await call(url, path), 401, 'unauthorized')
    })
  }

  it('responds to HEAD as to GET, but without the body', async () => {
    const answer = await callWith(url, '/api/v1/hi', await signer.token(), 'HEAD')
    assert.equal(answer.status, 200)
    assert.equal(answer.body, '')
    assert.equal((await call(url, '/api/v1/hi', { method: 'HEAD' })).status, 401)
  })
})

describe('credentials', () => {
  const bearer = async () => `Bearer ${await signer.token()}`

  const missing: [name: string, headers: () => Promise<Record<string, string>>][] = [
    ['that are absent', async () => ({})],
    ['that are empty', async () => ({ authorization: '' })],
    ['with another scheme', async () => ({ authorization: 'Basic Zm9vOmJhcg==' })],
    ['with the scheme DPoP', async () => ({ authorization: `DPoP ${await signer.token()}` })],
    ['that are only a token', async () => ({ authorization: await signer.token() })],
    ['in another field', async () => ({ 'x-authorization': await bearer() })],
    ['in a cookie', async () => ({ cookie: `access_token=${await signer.token()}` })],
  ]
  for (const [name, headers] of missing) {
    it(`${name} cause 401 and a challenge without an error code (RS23)`, async () => {
      const answer = await call(url, '/api/v1/hi', { headers: await headers() })
      assertError(answer, 401, 'unauthorized')
      assert.equal(answer.headers['www-authenticate'], `Bearer realm="greeting-api", ${metadata()}`)
    })
  }

  const malformed: [name: string, headers: () => Promise<readonly string[]>, path?: string][] = [
    ['with only a scheme', async () => ['authorization', 'Bearer']],
    ['with a scheme and a space', async () => ['authorization', 'Bearer ']],
    ['with two words after the scheme', async () => ['authorization', `${await bearer()} x`]],
    [
      'with a space and a tab after the scheme',
      async () => ['authorization', (await bearer()).replace(' ', ' \t')],
    ],
    [
      'in two fields',
      async () => ['authorization', await bearer(), 'authorization', await bearer()],
    ],
    [
      'in two fields, one with another scheme',
      async () => ['authorization', 'Basic eA==', 'Authorization', await bearer()],
    ],
    [
      'with two tokens in one field',
      async () => ['authorization', `${await bearer()}, ${await bearer()}`],
    ],
    ['with a token in the query', async () => [], '/api/v1/hi?access_token=abc'],
    [
      'with an additional token in the query',
      async () => ['authorization', await bearer()],
      '/api/v1/hi?access_token=abc',
    ],
    [
      'with a token in the query under an encoded name',
      async () => ['authorization', await bearer()],
      '/api/v1/hi?x=1&access%5Ftoken=abc',
    ],
  ]
  for (const [name, headers, path = '/api/v1/hi'] of malformed) {
    it(`${name} cause 400 (RS21, RS22)`, async () => {
      const host = ['host', 'localhost']
      const answer = await call(url, path, { headers: [...host, ...(await headers())] })
      assertError(answer, 400, 'invalid_request')
      assert.match(
        answer.headers['www-authenticate'] ?? '',
        /^Bearer realm="greeting-api", error="invalid_request", /,
      )
    })
  }

  it('may have several spaces after the scheme (RFC 9110 section 11.4)', async () => {
    const authorization = (await bearer()).replace(' ', '   ')
    assert.equal((await call(url, '/api/v1/hi', { headers: { authorization } })).status, 200)
  })

  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    it(`with the scheme ${scheme} are accepted (RS25)`, async () => {
      const headers = { authorization: `${scheme} ${await signer.token()}` }
      assert.equal((await call(url, '/api/v1/hi', { headers })).status, 200)
    })
  }
})

describe('a token', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000)
  const refused: [name: string, token: () => Promise<string>, says: RegExp][] = [
    ['that is not a JWT', async () => 'x', /malformed/],
    [
      'without a signature',
      async () => (await signer.token()).replace(/\.[^.]*$/, '.'),
      /signature/,
    ],
    ['with the signature of another key', () => otherSigner.token(), /signature/],
    ['of an unknown key', () => signer.token({}, { kid: 'key-2' }), /signature/],
    ['for another audience', () => signer.token({ aud: `api://${tenantId}` }), /audience/],
    ['for the bare application ID', () => signer.token({ aud: apiApplicationId }), /audience/],
    [
      'for the scope',
      () => signer.token({ aud: `api://${apiApplicationId}/.default` }),
      /audience/,
    ],
    ['without an audience', () => signer.token({ aud: undefined }), /audience/],
    [
      'from another issuer',
      () => signer.token({ iss: `https://sts.windows.net/${tenantId}/` }),
      /issuer/,
    ],
    [
      'from the issuer without its trailing slash',
      () => signer.token({ iss: `${provider.url}/${tenantId}` }),
      /issuer/,
    ],
    ['from another tenant', () => signer.token({ tid: apiApplicationId }), /tenant/],
    ['that has expired', () => signer.token({ exp: nowSeconds() - 61 }), /expired/],
    ['that is not valid yet', () => signer.token({ nbf: nowSeconds() + 120 }), /not valid yet/],
  ]
  for (const [name, token, says] of refused) {
    it(`${name} causes 401`, async () => {
      const answer = await callWith(url, '/api/v1/hi', await token())
      assertError(answer, 401, 'invalid_token')
      const description = JSON.parse(answer.body).error_description
      assert.match(description, says)
      assert.equal(
        answer.headers['www-authenticate'],
        `Bearer realm="greeting-api", error="invalid_token", error_description="${description}", ${metadata()}`,
      )
    })
  }

  for (const alg of ['none', 'HS256', 'PS256']) {
    it(`with the algorithm ${alg} causes 401`, async () => {
      const [, claims, signature] = (await signer.token()).split('.')
      const header = Buffer.from(JSON.stringify(signer.header({ alg }))).toString('base64url')
      const token = `${header}.${claims}.${alg === 'none' ? '' : signature}`
      assertError(await callWith(url, '/api/v1/hi', token), 401, 'invalid_token')
    })
  }
})

describe('a role', () => {
  const hi = '/api/v1/hi'
  const hello = '/api/v1/hello?name=Ada'
  const rows: [claims: Record<string, unknown>, path: string, status: number][] = [
    [{ roles: ['CallHiApiRole'] }, hi, 200],
    [{ roles: ['CallHelloApiRole'] }, hello, 200],
    [{ roles: ['CallHiApiRole'] }, hello, 403],
    [{ roles: ['CallHelloApiRole'] }, hi, 403],
    [{ roles: undefined }, hi, 403],
    [{ roles: [] }, hello, 403],
    [{ roles: ['callhiapirole'] }, hi, 403],
    [{ roles: 'CallHiApiRole' }, hi, 403],
    [{ roles: 'CallHiApiRole CallHelloApiRole' }, hi, 403],
    [{ roles: ['CallHiApiRoleAndMore'] }, hi, 403],
    [{ roles: undefined, authorities: ['CallHiApiRole'] }, hi, 403],
  ]
  for (const [claims, path, status] of rows) {
    it(`in ${JSON.stringify(claims)} leads to ${status} at ${path}`, async () => {
      const answer = await callWith(url, path, await signer.token(claims))
      assert.equal(answer.status, status)
      if (status === 200) return
      // Byte for byte (contract C88).
      assert.equal(answer.body, '{"error":"access_denied","error_description":"Access is denied"}')
      assertError(answer, 403, 'access_denied')
      assert.equal(
        answer.headers['www-authenticate'],
        `Bearer realm="greeting-api", error="insufficient_scope", ${metadata()}`,
      )
    })
  }
})

describe('another path or method', () => {
  const below = [
    '/api/v1/',
    '/api/v1',
    '/api/v1/unknown',
    '/api/v1/hi/',
    '/api/v1//hi',
    '/api/v1/hi/there',
    '/api/v1/HI',
    '/api/v1/h%2Fi',
    '/api/v1/hi%2F',
    '/api/v1/hi%00',
    '/api/v1/hi;x=1',
    '/api/v1/hi.json',
    '/api/v1/./hi/.',
  ]
  for (const path of below) {
    it(`at ${path} gets 401 without a token, otherwise 404 (RS20)`, async () => {
      assertError(await call(url, path), 401, 'unauthorized')
      assertError(await callWith(url, path, await otherSigner.token()), 401, 'invalid_token')
      assertError(await callWith(url, path, await signer.token({ roles: [] })), 404, 'not_found')
    })
  }

  for (const path of [
    '/API/v1/hi',
    '/api/V1/hi',
    '//api/v1/hi',
    '/api%2Fv1/hi',
    '/api/v2/hi',
    '/hi',
    '/api/v1x',
    '/x/../y',
  ]) {
    it(`at ${path} is not guarded and does not exist`, async () => {
      assertError(await call(url, path), 404, 'not_found')
      assertError(await callWith(url, path, await signer.token()), 404, 'not_found')
    })
  }

  it('is guarded even if its letters are encoded', async () => {
    assertError(await call(url, '/api/v1/h%69'), 401, 'unauthorized')
    assert.equal((await callWith(url, '/api/v1/h%69', await signer.token())).body, 'Hi')
    assertError(await call(url, '/%61pi/v1/hi'), 401, 'unauthorized')
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    it(`${method} gets 401 without a token, otherwise 405 with the permitted methods (RS20)`, async () => {
      assertError(await call(url, '/api/v1/hi', { method }), 401, 'unauthorized')
      const answer = await callWith(url, '/api/v1/hi', await signer.token({ roles: [] }), method)
      assertError(answer, 405, 'method_not_allowed')
      assert.equal(answer.headers.allow, 'GET, HEAD')
      assertError(
        await callWith(url, '/api/v1/unknown', await signer.token(), method),
        404,
        'not_found',
      )
    })
  }
})
