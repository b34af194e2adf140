import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import {
  graphAppId,
  newApplication,
  newServicePrincipal,
  ownerTenantId,
  put,
  systemRuntime,
} from '@greeting/directory'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { createApp } from '../../src/app.ts'
import { changeApi, changeClient } from './client-change.ts'
import { apiId, clientId, type TestService, tenantId, testService } from './test-service.ts'

let service: TestService
before(async () => {
  service = await testService()
})

const builtIn = {
  tenantId: ownerTenantId,
  displayName: 'Microsoft Graph',
  createdDateTime: new Date(),
}
const v1Path = `/${tenantId}/oauth2/token`
const v1Form = (to: TestService, resource: string) => to.form({ scope: '', resource })

async function issued(response: Response) {
  const body = await response.json()
  assert.equal(response.status, 200, JSON.stringify(body))
  const claims = decodeJwt<Record<string, string>>(body.access_token)
  return { body, claims, header: decodeProtectedHeader(body.access_token) }
}
const codeOf = async (response: Response) => (await response.json()).error_codes?.[0]

describe('the v1 endpoint (entra E12 to E14)', () => {
  it('accepts a resource, and returns numbers as strings', async () => {
    const resource = `api://${apiId}`
    const response = await service.token(v1Form(service, resource), { path: v1Path })
    const { body, claims } = await issued(response)
    assert.deepEqual(Object.keys(body), [
      'access_token',
      'token_type',
      'expires_in',
      'ext_expires_in',
      'expires_on',
      'not_before',
      'resource',
    ])
    assert.equal(body.token_type, 'Bearer')
    assert.equal(body.expires_in, '3599')
    assert.equal(body.ext_expires_in, '3599')
    assert.equal(body.expires_on, String(claims.exp))
    assert.equal(body.not_before, String(claims.nbf))
    assert.equal(body.resource, resource)
  })

  it('issues the token version that the API selects', async () => {
    const second = await testService()
    await changeApi(second, { requestedAccessTokenVersion: 2 })
    for (const [to, version] of [
      [service, '1.0'],
      [second, '2.0'],
    ] as const) {
      const byV1 = await to.token(v1Form(to, `api://${apiId}`), { path: v1Path })
      assert.equal((await issued(byV1)).claims.ver, version)
      assert.equal((await issued(await to.token(to.form()))).claims.ver, version)
    }
  })
})

describe('tokens by version (entra E37 to E57)', () => {
  it('of v1.0 have the same claims as Entra ID tokens for custom APIs', async () => {
    const { claims } = await issued(await service.token(service.form()))
    assert.deepEqual(Object.keys(claims), [
      ...['aud', 'iss', 'iat', 'nbf', 'exp', 'aio', 'appid', 'appidacr', 'idp', 'oid', 'rh'],
      ...['roles', 'sub', 'tid', 'uti', 'ver', 'xms_ftd'],
    ])
  })

  it('of v2.0 have azp instead of appid, the application ID as audience, and neither x5t nor idp', async () => {
    const second = await testService()
    await changeApi(second, { requestedAccessTokenVersion: 2 })
    const { claims, header } = await issued(await second.token(second.form()))
    assert.deepEqual(Object.keys(header), ['typ', 'alg', 'kid'])
    assert.deepEqual(Object.keys(claims), [
      ...['aud', 'iss', 'iat', 'nbf', 'exp', 'aio', 'azp', 'azpacr', 'oid', 'rh'],
      ...['roles', 'sub', 'tid', 'uti', 'ver', 'xms_ftd'],
    ])
    assert.equal(claims.aud, apiId)
    assert.equal(claims.iss, `http://login.test/${tenantId}/v2.0`)
    assert.equal(claims.azp, clientId)
    assert.equal(claims.azpacr, '1')
    assert.equal(claims.sub, claims.oid)
    assert.equal(claims.ver, '2.0')
  })

  it('contain idtyp, and the ID as audience, when the API requests them', async () => {
    const asking = await testService()
    await changeApi(asking, {
      optionalAccessTokenClaims: [
        { name: 'idtyp', additionalProperties: [] },
        { name: 'aud', additionalProperties: ['use_guid'] },
      ],
    })
    const { claims } = await issued(await asking.token(asking.form()))
    assert.equal(claims.idtyp, 'app')
    assert.equal(claims.aud, apiId)
  })

  const declared: [what: string, values: unknown, xms_cc: string[] | undefined][] = [
    ['as the client writes it', ['CP1'], ['CP1']],
    ['once if the client repeats it', ['cp1', 'cp1', 'llt'], ['cp1']],
    ['only if it is known', ['foo', 1, null], undefined],
    ['only if the client sends a list', 'cp1', undefined],
  ]
  for (const [what, values, expected] of declared)
    it(`contain the client capability ${what} (entra E258)`, async () => {
      const asking = await testService()
      const optionalAccessTokenClaims = [{ name: 'xms_cc', additionalProperties: [] }]
      await changeApi(asking, { optionalAccessTokenClaims })
      const claims = JSON.stringify({ access_token: { xms_cc: { values } } })
      const answer = await issued(await asking.token(asking.form({ claims })))
      assert.deepEqual(answer.claims.xms_cc, expected)
    })

  it('never contain scp, acr, amr, name, upn or jti', async () => {
    const { claims } = await issued(await service.token(service.form()))
    for (const claim of ['scp', 'acr', 'amr', 'name', 'upn', 'jti'])
      assert.ok(!(claim in claims), claim)
  })

  it('have a random lifetime within the configured range', async () => {
    const short = await testService({
      lifetime: { backdatingSeconds: 10, shortestSeconds: 600, longestSeconds: 1200 },
    })
    const lifetimes = new Set<number>()
    for (let token = 0; token < 20; token += 1) {
      const { body, claims } = await issued(await short.token(short.form()))
      const { iat = 0, exp = 0 } = claims as { iat?: number; exp?: number }
      assert.equal(body.expires_in, exp - iat - 11)
      assert.ok(body.expires_in >= 599 && body.expires_in <= 1199)
      lifetimes.add(body.expires_in)
    }
    assert.ok(lifetimes.size > 5)
  })
})

describe('scopes (entra E19 to E24)', () => {
  const uri = `api://${apiId}`
  const audiences: [string, string][] = [
    [`${uri}/.default`, uri],
    [`${apiId}/.default`, apiId],
    [`${apiId.toUpperCase()}/.default`, apiId],
    // A URI that ends in a slash keeps it: two slashes, and one stays in the audience.
    [`${uri}//.default`, `${uri}/`],
    [`${uri}/.default openid profile offline_access`, uri],
    [`openid offline_access profile ${uri}/.default`, uri],
    [`${uri}/.default ${uri}/.default`, uri],
    ['https://greeting.localhost/greeting/.default', 'https://greeting.localhost/greeting'],
  ]
  for (const [asked, aud] of audiences) {
    it(`of '${asked}' result in the audience ${aud} (AS13)`, async () => {
      const own = await testService()
      const identifierUris = [uri, 'https://greeting.localhost/greeting']
      await changeApi(own, { identifierUris })
      const { claims } = await issued(await own.token(own.form({ scope: asked })))
      assert.equal(claims.aud, aud)
      assert.deepEqual(claims.roles, ['CallHiApiRole', 'CallHelloApiRole'])
    })
  }

  for (const name of ['http://login.test', 'http://login.test/', 'https://secure.login.test'])
    it(`of '${name}/.default' select Microsoft Graph before any registration (AS32)`, async () => {
      const own = await testService()
      await changeApi(own, { identifierUris: [name] })
      const graph = newApplication({ ...builtIn, id: randomUUID(), appId: graphAppId })
      const principal = newServicePrincipal(tenantId, graph, systemRuntime)
      await own.change(put('application', graph), put('servicePrincipal', principal))
      const { claims } = await issued(await own.token(own.form({ scope: `${name}/.default` })))
      assert.equal(claims.aud, name)
      assert.equal(claims.roles, undefined)
    })

  for (const [resource, asked] of [
    [uri, uri],
    [`${uri}/`, uri],
    [uri, apiId],
    ['https://greeting.localhost/greeting', uri],
    ['https://greeting.localhost/greeting/', uri],
  ] as const)
    it(`of '${asked}/.default' may be sent together with resource=${resource} (entra E206)`, async () => {
      const own = await testService()
      await changeApi(own, { identifierUris: [uri, 'https://greeting.localhost/greeting'] })
      const form = own.form({ scope: `${asked}/.default`, resource })
      assert.equal((await issued(await own.token(form))).claims.aud, asked)
    })

  for (const [name, aud] of [
    [`spn:${apiId}`, `spn:${apiId}`],
    [`SPN:${apiId}`, `SPN:${apiId}`],
    [`spn:${uri}`, `spn:${uri}`],
  ] as const)
    it(`and resources named '${name}' result in the audience ${aud} (entra E372)`, async () => {
      const scoped = await service.token(service.form({ scope: `${name}/.default` }))
      const named = await service.token(v1Form(service, name), { path: v1Path })
      for (const response of [scoped, named]) assert.equal((await issued(response)).claims.aud, aud)
    })

  it('without an API, only for OpenID, are refused (AS15)', async () => {
    const response = await service.token(service.form({ scope: 'openid profile' }))
    assert.equal(await codeOf(response), 1002012)
  })
})

describe('the spelling of a request', () => {
  const renamed = (rename: (name: string) => string, over?: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(service.form(over)).map(([name, value]) => [rename(name), value]),
    )
  const capitalized = (name: string) =>
    name.replaceAll(/\b[a-z]|_[a-z]/g, (one) => one.toUpperCase())
  const upper = (name: string) => name.toUpperCase()
  const grant_type = 'Client_Credentials'
  const of = (path: string) => `/${tenantId}${path}`
  for (const [what, form, path] of [
    ['parameter names such as Grant_Type', () => renamed(capitalized), undefined],
    ['parameter names in upper case', () => renamed(upper), undefined],
    ['a grant type in another case', () => service.form({ grant_type }), undefined],
    ['a path with a slash at its end', () => service.form(), of('/oauth2/v2.0/token/')],
    ['a path in another case', () => service.form(), of('/OAuth2/V2.0/Token')],
    ['resource and a path in another case', () => v1Form(service, apiId), of('/OAuth2/Token/')],
  ] as const)
    it(`may have ${what} (entra E370, entra E371)`, async () => {
      await issued(await service.token(form(), path === undefined ? {} : { path }))
    })

  it('does not hide a repeated parameter (AS3)', async () => {
    const response = await service.token(service.form({ Client_ID: clientId }))
    assert.equal(await codeOf(response), 9_000_411)
  })

  it('appears unchanged in a refusal that names the tenant', async () => {
    const response = await service.token(service.form(), {
      path: '/Nobody.Example/oauth2/v2.0/token',
    })
    assert.match((await response.json()).error_description, /'Nobody\.Example'/)
  })

  for (const version of ['Beta', 'BETA', 'V1.0'])
    it(`to Microsoft Graph may have the version ${version} (entra E373)`, async () => {
      const management = async (request: Request) =>
        new Response(`${new URL(request.url).pathname} ${await request.text()}`)
      const request = { method: 'POST', body: '{}' }
      const path = `http://login.test/${version}/Applications/A`
      const response = await createApp(service.options, management).request(path, request)
      assert.equal(await response.text(), `/${version.toLowerCase()}/Applications/A {}`)
    })

  it('may have a trailing slash if the request is for a document', async () => {
    const path = `http://login.test${of('/v2.0/.well-known/openid-configuration/')}`
    assert.equal((await service.app.request(path)).status, 200)
  })
})

describe('tenants (entra E25 to E27)', () => {
  const names = [tenantId, tenantId.toUpperCase(), 'greeting.localhost', 'GREETING.localhost']
  for (const name of names) {
    it(`can be named ${name}, and the token contains the ID`, async () => {
      const path = `/${name}/oauth2/v2.0/token`
      const { claims } = await issued(await service.token(service.form(), { path }))
      assert.equal(claims.tid, tenantId)
      assert.equal(claims.iss, `http://sts.test/${tenantId}/`)
    })
  }

  it('are isolated: clients and APIs of one tenant are unknown in another', async () => {
    const own = await testService()
    const other = '22222222-2222-4222-8222-222222222222'
    const directory = await wholeDirectory(own.store)
    const tenant = directory.tenant(tenantId)
    const client = directory.servicePrincipalByAppId(tenantId, clientId)
    if (!tenant || !client) throw new TypeError('The test service is seeded.')
    await own.change(
      put('tenant', { ...tenant, id: other, displayName: 'Other', domains: ['other.example'] }),
    )
    const path = `/${other}/oauth2/v2.0/token`
    assert.equal(await codeOf(await own.token(own.form(), { path })), 700016)
    // The client is added to the other tenant, its API is not.
    const there = { ...client, id: crypto.randomUUID(), tenantId: other }
    await own.change(put('servicePrincipal', there))
    assert.equal(await codeOf(await own.token(own.form(), { path })), 500011)
    const { claims } = await issued(await own.token(own.form()))
    assert.equal(claims.tid, tenantId)
  })

  it('have a domain that is derived from their ID, at the token endpoint and in documents', async () => {
    const own = await testService()
    const domain = `${tenantId.replaceAll('-', '')}.onmicrosoft.com`
    const path = `/${domain}/oauth2/v2.0/token`
    const { claims } = await issued(await own.token(own.form(), { path }))
    assert.equal(claims.tid, tenantId)
  })

  it('issue no token once they are disabled (AS31)', async () => {
    const own = await testService()
    const tenant = (await wholeDirectory(own.store)).tenant(tenantId)
    if (tenant) await own.change(put('tenant', { ...tenant, isEnabled: false }))
    assert.equal(await codeOf(await own.token(own.form())), 90002)
  })
})

describe('the additional data of real clients (entra E4 to E9)', () => {
  it('may include telemetry, claims and unknown parameters, which are ignored (AS1)', async () => {
    const telemetry = {
      'x-client-SKU': 'msal.js.node',
      'x-client-VER': '7.2.1',
      'x-client-OS': 'linux',
      'x-client-CPU': 'x64',
      'x-ms-lib-capability': 'retry-after, h429',
      'x-client-current-telemetry': '5|771,2,,,|,',
      'x-client-last-telemetry': '5|0|||0,0',
      claims: '{"access_token":{"xms_cc":{"values":["cp1"]}}}',
      token_type: 'Bearer',
      unknown: 'x',
    }
    const { body } = await issued(await service.token(service.form(telemetry)))
    assert.equal(body.expires_in, 3599)
    assert.equal(body.token_type, 'Bearer')
  })

  const id = '7a5f0a3c-6f0b-4a53-8d0e-1c2b3a495867'
  const places: [string, Parameters<TestService['token']>[1], Record<string, string>][] = [
    ['header', { headers: { 'client-request-id': id } }, {}],
    ['query', { path: `/${tenantId}/oauth2/v2.0/token?client-request-id=${id}` }, {}],
    ['body', {}, { 'client-request-id': id }],
  ]
  for (const [place, request, more] of places) {
    it(`may include a request ID in the ${place}, which a refusal repeats`, async () => {
      const form = service.form({ client_secret: 'wrong', ...more })
      const response = await service.token(form, request)
      assert.equal((await response.json()).correlation_id, id)
    })
  }

  it('may include a request ID that is a GUID; otherwise the server creates one', async () => {
    const headers = { 'client-request-id': '<script>' }
    const response = await service.token(service.form({ client_secret: 'wrong' }), { headers })
    assert.match((await response.json()).correlation_id, /^[0-9a-f-]{36}$/)
  })

  it('may include a request ID as a header, which the response repeats (entra E9)', async () => {
    const echoed = await service.token(service.form(), { headers: { 'client-request-id': id } })
    assert.equal(echoed.headers.get('client-request-id'), id)
    const refused = await service.token('', { headers: { 'client-request-id': id } })
    assert.equal(refused.headers.get('client-request-id'), id)
    const inForm = await service.token(service.form({ 'client-request-id': id }))
    assert.equal(inForm.headers.get('client-request-id'), null)
    const noGuid = await service.token(service.form(), { headers: { 'client-request-id': 'x' } })
    assert.equal(noGuid.headers.get('client-request-id'), null)
  })

  it('may include telemetry, and only then the response has telemetry with the refusal code (entra E162)', async () => {
    const name = 'x-client-current-telemetry'
    const inHeader = await service.token(service.form(), { headers: { [name]: '5|771,2,,,|,' } })
    assert.equal(inHeader.headers.get('x-ms-clitelem'), '1,0,0,,')
    const refused = await service.token(service.form({ [name]: 'x', client_secret: 'wrong' }))
    assert.equal(refused.headers.get('x-ms-clitelem'), '1,7000215,0,,')
    const silent = await service.token(service.form())
    assert.equal(silent.headers.get('x-ms-clitelem'), null)
  })
})

describe('the headers of a response (entra E16, entra E17)', () => {
  const expected: [string, RegExp][] = [
    ['cache-control', /^no-store, no-cache$/],
    ['pragma', /^no-cache$/],
    ['expires', /^-1$/],
    ['content-type', /^application\/json; charset=utf-8$/],
    ['strict-transport-security', /^max-age=31536000; includeSubDomains$/],
    ['x-content-type-options', /^nosniff$/],
    ['p3p', /^CP="DSP CUR OTPi IND OTRi ONL FIN"$/],
    ['x-ms-request-id', /^[0-9a-f-]{36}$/],
    ['x-ms-ests-server', /./],
    ['x-xss-protection', /^0$/],
  ]
  for (const [name, pattern] of expected) {
    it(`include ${name}`, async () => {
      const response = await service.token(service.form())
      assert.match(response.headers.get(name) ?? '', pattern)
    })
  }

  it('set no cookie, and let no web page read a token (AS30)', async () => {
    const headers = { origin: 'https://page.example' }
    const response = await service.token(service.form(), { headers })
    assert.equal(response.headers.get('set-cookie'), null)
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  })
})

describe('a change of a client', () => {
  it('takes effect at the next request when it disables, enables or removes a role (AS31)', async () => {
    const own = await testService()
    await issued(await own.token(own.form()))
    await changeClient(own, { passwordCredentials: [] })
    assert.equal(await codeOf(await own.token(own.form())), 7000215)
  })
})
