import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { apiId, type TestService, tenantId, testService } from './test-service.ts'

let service: TestService
before(async () => {
  service = await testService()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  service.app.request(`http://login.test${path}`, { headers })
const json = async (path: string) => {
  const response = await get(path)
  assert.equal(response.status, 200, path)
  return response.json()
}
const v2 = (tenant: string) => `/${tenant}/v2.0/.well-known/openid-configuration`
const v1 = (tenant: string) => `/${tenant}/.well-known/openid-configuration`

describe('the discovery documents (entra E59 to E65)', () => {
  it('have the same members for v2.0 as in Entra ID, in the same order', async () => {
    const base = `http://login.test/${tenantId}`
    const expected = {
      token_endpoint: `${base}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'private_key_jwt',
        'client_secret_basic',
      ],
      jwks_uri: `${base}/discovery/v2.0/keys`,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      issuer: `${base}/v2.0`,
      request_uri_parameter_supported: false,
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
      http_logout_supported: true,
      frontchannel_logout_supported: true,
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
      claims_supported: [
        ...['sub', 'iss', 'cloud_instance_name', 'cloud_instance_host_name'],
        ...['cloud_graph_host_name', 'msgraph_host', 'aud', 'exp', 'iat', 'auth_time', 'acr'],
        ...['nonce', 'preferred_username', 'name', 'tid', 'ver', 'at_hash', 'c_hash', 'email'],
      ],
      kerberos_endpoint: `${base}/kerberos`,
      tenant_region_scope: 'WW',
      cloud_instance_name: 'microsoftonline.com',
      cloud_graph_host_name: 'graph.windows.net',
      msgraph_host: 'graph.microsoft.com',
      rbac_url: 'https://pas.windows.net',
    }
    assert.equal(JSON.stringify(await json(v2(tenantId))), JSON.stringify(expected))
  })

  it('have another issuer, key set URL and token endpoint for v1.0', async () => {
    const document = await json(v1(tenantId))
    assert.equal(document.issuer, `http://sts.test/${tenantId}/`)
    assert.equal(document.token_endpoint, `http://login.test/${tenantId}/oauth2/token`)
    assert.equal(document.jwks_uri, `http://login.test/${tenantId}/discovery/keys`)
    assert.equal(document.microsoft_multi_refresh_token, true)
    assert.deepEqual(document.scopes_supported, ['openid'])
    assert.deepEqual(document.claims_supported.slice(10), [
      ...['acr', 'amr', 'nonce', 'email', 'given_name', 'family_name', 'nickname'],
    ])
    assert.equal(document.userinfo_endpoint, `http://login.test/${tenantId}/openid/userinfo`)
    assert.ok('check_session_iframe' in document)
  })

  it('contain the tenant ID for each name of the tenant, in any case', async () => {
    const names = ['greeting.localhost', 'Greeting.LocalHost', tenantId.toUpperCase()]
    for (const name of names)
      assert.equal((await json(v2(name))).issuer, `http://login.test/${tenantId}/v2.0`)
  })

  for (const shared of ['common', 'organizations', 'Common']) {
    it(`have an issuer template for ${shared}`, async () => {
      const second = await json(v2(shared))
      assert.equal(second.issuer, 'http://login.test/{tenantid}/v2.0')
      assert.equal(
        second.token_endpoint,
        `http://login.test/${shared.toLowerCase()}/oauth2/v2.0/token`,
      )
      const first = await json(v1(shared))
      assert.equal(first.issuer, 'http://sts.test/{tenantid}/')
      assert.deepEqual([first.tenant_region_scope, second.tenant_region_scope], [null, null])
    })
  }

  it('contain the configured URLs, whatever host a request names (CVE-2026-3635, AS11)', async () => {
    const lies = { host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
    for (const path of [v1(tenantId), v2(tenantId), '/metadata/endpoints']) {
      const response = await service.app.request(`http://evil.test${path}`, { headers: lies })
      assert.doesNotMatch(await response.text(), /evil/)
    }
  })

  it('contain the exact issuer, and no empty list (AS24)', async () => {
    for (const [path, issuer] of [
      [v1(tenantId), `http://sts.test/${tenantId}/`],
      [v2(tenantId), `http://login.test/${tenantId}/v2.0`],
    ] as const) {
      const document = await json(path)
      assert.equal(document.issuer, issuer)
      assert.ok(Object.values(document).every((value) => !Array.isArray(value) || value.length > 0))
    }
  })

  it('may be cached for a day and read by any page (AS30)', async () => {
    const { headers } = await get(v2(tenantId))
    assert.equal(headers.get('cache-control'), 'max-age=86400, private')
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.equal(headers.get('access-control-allow-methods'), 'GET, OPTIONS')
    const preflight = await service.app.request(`http://login.test${v2(tenantId)}`, {
      method: 'OPTIONS',
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  })

  it('have the same headers as in Entra ID, and repeat the request ID (entra E163)', async () => {
    const id = '7a5f0a3c-6f0b-4a53-8d0e-1c2b3a495867'
    const unknown = '/unknown.example/v2.0/.well-known/openid-configuration'
    for (const path of [v1(tenantId), '/metadata/endpoints', unknown]) {
      const { headers } = await get(path, { 'client-request-id': id })
      assert.equal(headers.get('client-request-id'), id, path)
      assert.match(headers.get('x-ms-request-id') ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(headers.get('x-ms-ests-server'), 'Greeting identity provider')
      assert.match(headers.get('strict-transport-security') ?? '', /^max-age=31536000/)
      assert.equal(headers.get('access-control-allow-methods'), 'GET, OPTIONS')
    }
  })

  it('contain the issuers of Entra ID if the settings name them', async () => {
    const genuine = await testService({
      authority: {
        authUrl: 'https://localhost:4443',
        issuerUrl: 'https://sts.windows.net',
        issuerUrlV2: 'https://login.microsoftonline.com',
      },
    })
    const read = async (path: string) =>
      (await genuine.app.request(`http://login.test${path}`)).json()
    assert.equal((await read(v1(tenantId))).issuer, `https://sts.windows.net/${tenantId}/`)
    const document = await read(v2(tenantId))
    assert.equal(document.issuer, `https://login.microsoftonline.com/${tenantId}/v2.0`)
    assert.equal(document.token_endpoint, `https://localhost:4443/${tenantId}/oauth2/v2.0/token`)
  })

  it('let a verifier of v1.0 tokens use HTTPS for every request, if the issuer is an HTTPS URL', async () => {
    const secure = 'https://secure.login.test'
    // As the HTTPS listener has it.
    const { app, form, token } = await testService({
      authority: { authUrl: secure, issuerUrl: secure, issuerUrlV2: secure },
    })
    const read = async (url: string) => {
      assert.ok(url.startsWith(`${secure}/`), url)
      const response = await app.request(url)
      assert.equal(response.status, 200, url)
      return response.json()
    }
    const { access_token } = await (await token(form())).json()
    const { iss: issuer = '' } = decodeJwt(access_token)
    // As a verifier finds the document of an issuer: OpenID Connect Discovery 1.0 section 4.
    const document = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    assert.equal(document.issuer, issuer)
    const keys = createLocalJWKSet(await read(document.jwks_uri))
    const { payload } = await jwtVerify(access_token, keys, { issuer, audience: `api://${apiId}` })
    assert.equal(payload.iss, `${secure}/${tenantId}/`)
  })

  it('do not exist for a disabled tenant', async () => {
    const own = await testService()
    const tenant = (await wholeDirectory(own.store)).tenant(tenantId)
    if (tenant) await own.change(put('tenant', { ...tenant, isEnabled: false }))
    const response = await own.app.request(`http://login.test${v2(tenantId)}`)
    assert.deepEqual((await response.json()).error_codes, [90002])
  })
})

describe('the key sets (entra E78 to E80)', () => {
  const publicMembers = ['kty', 'use', 'kid', 'x5t', 'n', 'e', 'x5c']

  it('publish several keys with unique key IDs, public members only and no alg (AS26)', async () => {
    const { keys } = await json(`/${tenantId}/discovery/keys`)
    assert.ok(keys.length >= 2)
    assert.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, keys.length)
    for (const key of keys) {
      assert.deepEqual(Object.keys(key), publicMembers)
      assert.equal(key.use, 'sig')
      assert.equal(key.kid, key.x5t)
    }
  })

  it('contain the v2.0 issuer of each key, as a template for common', async () => {
    const own = await json(`/${tenantId}/discovery/v2.0/keys`)
    const shared = await json('/common/discovery/v2.0/keys')
    for (const key of own.keys) {
      assert.deepEqual(Object.keys(key), [...publicMembers, 'cloud_instance_name', 'issuer'])
      assert.equal(key.issuer, `http://login.test/${tenantId}/v2.0`)
    }
    for (const key of shared.keys) assert.equal(key.issuer, 'http://login.test/{tenantid}/v2.0')
  })

  it('are cached only for a short time, because keys can be revoked', async () => {
    const { headers } = await get(`/${tenantId}/discovery/keys`)
    assert.equal(headers.get('cache-control'), 'max-age=60, private')
  })
})

describe('authorization server metadata (RFC 8414)', () => {
  for (const path of [`/${tenantId}/v2.0`, `/${tenantId}`, '/common']) {
    it(`does not exist at ${path}, as in Entra ID, so clients fall back to discovery (entra E190)`, async () => {
      const response = await get(`/.well-known/oauth-authorization-server${path}`)
      assert.equal(response.status, 404)
    })
  }
})

describe('the documents that clients request before a token', () => {
  const discovery = (query: Record<string, string>) =>
    `/common/discovery/instance?${new URLSearchParams(query)}`
  const endpoint = (host: string) => `https://${host}/${tenantId}/oauth2/v2.0/authorize`

  it('contain the document URL of an authority, and its aliases (entra E66)', async () => {
    const answer = await json(
      discovery({ 'api-version': '1.1', authorization_endpoint: endpoint('login.test') }),
    )
    assert.deepEqual(Object.keys(answer), ['tenant_discovery_endpoint', 'api-version', 'metadata'])
    assert.equal(answer.tenant_discovery_endpoint, `https://login.test${v2(tenantId)}`)
    const row = (preferred_network: string, preferred_cache: string, ...others: string[]) => ({
      preferred_network,
      preferred_cache,
      aliases: [preferred_network, ...others],
    })
    const alone = (host: string, ...others: string[]) => row(host, host, ...others)
    const cache = 'login.windows.net'
    assert.deepEqual(answer.metadata, [
      row('login.microsoftonline.com', cache, cache, 'login.microsoft.com', 'sts.windows.net'),
      alone('login.partner.microsoftonline.cn', 'login.chinacloudapi.cn'),
      alone('login.microsoftonline.de'),
      alone('login.microsoftonline.us', 'login.usgovcloudapi.net'),
      alone('login-us.microsoftonline.com'),
      alone('login.test'),
      alone('secure.login.test'),
    ])
  })

  it('accept the host names of the public cloud when this server replaces it', async () => {
    const answer = await json(
      discovery({
        'api-version': '1.1',
        authorization_endpoint: endpoint('login.microsoftonline.com'),
      }),
    )
    const expected = `https://login.microsoftonline.com${v2(tenantId)}`
    assert.equal(answer.tenant_discovery_endpoint, expected)
  })

  it('omit metadata for api-version 1.0, and refer to the v1.0 document for a v1.0 endpoint', async () => {
    const answer = await json(
      discovery({
        'api-version': '1.0',
        authorization_endpoint: `https://login.test/${tenantId}/oauth2/authorize`,
      }),
    )
    assert.deepEqual(answer, { tenant_discovery_endpoint: `https://login.test${v1(tenantId)}` })
  })

  it('can be requested by issuer', async () => {
    const answer = await json(
      discovery({ 'api-version': '1.1', issuer: `https://login.test/${tenantId}/v2.0` }),
    )
    assert.equal(answer.tenant_discovery_endpoint, `https://login.test${v2(tenantId)}`)
  })

  it('never contain the host of a request (CVE-2026-3635)', async () => {
    const query = { 'api-version': '1.1', authorization_endpoint: endpoint('evil.test') }
    const response = await service.app.request(`https://evil.test${discovery(query)}`, {
      headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test' },
    })
    assert.deepEqual((await response.json()).error_codes, [50049])
  })

  it('do not exist under a tenant', async () => {
    const response = await get(`/${tenantId}/discovery/instance?api-version=1.1`)
    assert.equal(response.status, 404)
  })

  it('direct infrastructure tools to this server for every service (entra E77)', async () => {
    const cloud = await json('/metadata/endpoints?api-version=2022-09-01')
    assert.equal(cloud.name, 'Greeting')
    assert.equal(cloud.authentication.loginEndpoint, 'http://login.test')
    assert.equal(cloud.resourceManager, 'http://login.test/')
    assert.equal(cloud.microsoftGraphResourceId, 'http://login.test/')
    assert.equal(cloud.graph, 'http://login.test/')
    // Logins request tokens for these names first.
    assert.deepEqual(cloud.authentication.audiences, [
      'https://management.core.windows.net/',
      'https://management.azure.com/',
    ])
  })

  it('list the clouds for api-version 2019-05-01', async () => {
    const cloud = await json('/metadata/endpoints')
    assert.deepEqual(await json('/metadata/endpoints?api-version=2019-05-01'), [cloud])
  })
})
