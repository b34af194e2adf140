import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { remove } from '@greeting/directory'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { apiId, clientId, type TestService, tenantId, testService } from './test-service.ts'

let service: TestService

before(async () => {
  service = await testService()
})

const accessToken = async (response: Response): Promise<string> => {
  const body = await response.json()
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.access_token
}

describe('the token endpoint (contract C49 to C57)', () => {
  it('returns exactly the four fields of the dialect, and forbids caching (AS6, AS7, AS15)', async () => {
    const response = await service.token(service.form())
    const body = await response.json()
    assert.deepEqual(Object.keys(body), [
      'token_type',
      'expires_in',
      'ext_expires_in',
      'access_token',
    ])
    assert.equal(body.token_type, 'Bearer')
    assert.equal(body.expires_in, 3599)
    assert.equal(body.ext_expires_in, 3599)
    assert.match(response.headers.get('cache-control') ?? '', /no-store/)
    assert.equal(response.headers.get('pragma'), 'no-cache')
  })

  it('issues a v1.0 token with every header field and claim of contract C29 to C47 (AS12, AS14)', async () => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    const token = await accessToken(await service.token(service.form()))
    const header = decodeProtectedHeader(token)
    assert.deepEqual(Object.keys(header), ['typ', 'alg', 'x5t', 'kid'])
    assert.equal(header.typ, 'JWT')
    assert.equal(header.alg, 'RS256')
    assert.equal(header.x5t, header.kid)

    const {
      iat = 0,
      nbf,
      exp,
      aio,
      uti,
      rh,
      xms_ftd,
      oid,
      sub,
      ...claims
    } = decodeJwt<{
      aio: string
      uti: string
      rh: string
      xms_ftd: string
      oid: string
    }>(token)
    assert.deepEqual(claims, {
      aud: `api://${apiId}`,
      iss: `http://sts.test/${tenantId}/`,
      appid: clientId,
      appidacr: '1',
      idp: `http://sts.test/${tenantId}/`,
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
      tid: tenantId,
      ver: '1.0',
    })
    assert.ok(Math.abs(iat + 300 - nowSeconds) <= 2)
    assert.equal(nbf, iat)
    assert.equal(exp, iat + 3900)
    const directory = await wholeDirectory(service.store)
    assert.equal(oid, directory.servicePrincipalByAppId(tenantId, clientId)?.id)
    assert.notEqual(oid, clientId)
    assert.equal(sub, oid)
    assert.match(uti, /^[\w-]{22}$/)
    assert.match(aio, /^[\w+/=]{40,}$/)
    assert.match(rh, /^1\.[\w-]{54}\.$/)
    assert.match(xms_ftd, /^[\w-]{43}$/)
  })

  it('signs with a published key, whose certificate has the thumbprint in the token header', async () => {
    const token = await accessToken(await service.token(service.form()))
    const response = await service.app.request(`http://login.test/${tenantId}/discovery/keys`)
    const keySet = await response.json()
    const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(keySet), {
      issuer: `http://sts.test/${tenantId}/`,
      audience: `api://${apiId}`,
      algorithms: ['RS256'],
    })
    assert.ok(keySet.keys.some(({ kid }: { kid: string }) => kid === protectedHeader.kid))
    assert.ok(keySet.keys.length >= 2)
  })

  it('gives each token a unique ID', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const token = await accessToken(await service.token(service.form()))
        return decodeJwt<{ uti: string }>(token).uti
      }),
    )
    assert.equal(new Set(ids).size, 20)
  })

  it('omits the claim roles when no role is granted', async () => {
    const poor = await testService()
    const directory = await wholeDirectory(poor.store)
    const principal = directory.servicePrincipalByAppId(tenantId, clientId)
    const assignments = directory.assignmentsOf(principal?.id ?? '')
    await poor.change(...assignments.map(({ id }) => remove('appRoleAssignment', id)))
    const token = await accessToken(await poor.token(poor.form()))
    assert.ok(!('roles' in decodeJwt(token)))
  })

  it('records the issued token and the use of the secret, but not the secret', async () => {
    const own = await testService()
    await own.token(own.form({ 'client-request-id': tenantId }))
    assert.deepEqual(
      own.audit.map(({ at: _at, ...record }) => record),
      [
        {
          tenantId,
          actor: clientId,
          action: 'token.issue',
          target: apiId,
          outcome: 'done',
          reason: null,
          correlationId: tenantId,
          lane: 'signIns',
        },
      ],
    )
    const directory = await wholeDirectory(own.store)
    const client = directory.applicationByAppId(clientId)
    const [credential] = client?.passwordCredentials ?? []
    assert.deepEqual([...own.uses.keys()], [`${client?.id}/${credential?.keyId}`])
    assert.ok(!JSON.stringify([own.audit, own.logged]).includes(own.secret))
  })

  const basic = (id: string) => `Basic ${Buffer.from(`${id}:secret`).toString('base64')}`
  const source = 'unknown'
  for (const [what, form, headers, reason, actor] of [
    ['without a scope', { client_id: clientId, scope: '' }, {}, 'scope_missing', clientId],
    ['without a grant', { grant_type: '' }, {}, 'parameter_missing', clientId],
    ['without a secret', { client_secret: '' }, {}, 'client_authentication_missing', clientId],
    [
      'with an ID in capitals',
      { client_id: clientId.toUpperCase(), scope: '' },
      {},
      'scope_missing',
      clientId,
    ],
    [
      'with the ID in its header',
      { client_id: '', client_secret: '', scope: '' },
      { authorization: basic(clientId) },
      'scope_missing',
      clientId,
    ],
    [
      'with a bad header',
      { scope: '' },
      { authorization: 'Bearer x' },
      'basic_malformed',
      clientId,
    ],
    ['with an invalid scope', { scope: 'openid' }, {}, 'scope_not_default', clientId],
    ['without a client', { client_id: '' }, {}, 'parameter_missing', source],
    [
      'with an ID that cannot be logged',
      { client_id: '\u001b[31m' },
      {},
      'client_id_malformed',
      source,
    ],
    ['as JSON', {}, { 'content-type': 'application/json' }, 'body_not_form', source],
  ] as const)
    it(`records the client of a request ${what}, or its source if the client is unknown`, async () => {
      const own = await testService()
      await own.token(own.form(form), { headers })
      assert.deepEqual(
        own.audit.map((record) => [record.reason, record.actor, record.lane]),
        [[reason, actor, 'unauthenticated']],
      )
    })

  it('records a request with another method, and returns POST in Allow', async () => {
    const own = await testService()
    const { status, headers } = await own.app.request(`/${tenantId}/oauth2/token`)
    assert.deepEqual([status, headers.get('allow')], [405, 'POST, OPTIONS'])
    assert.deepEqual(
      own.audit.map(({ reason }) => reason),
      ['method_not_allowed'],
    )
  })
})
