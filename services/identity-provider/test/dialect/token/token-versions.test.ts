import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Application, graphAppId, resourceManagerAppId } from '@greeting/directory'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../../test/fixtures/directory/sample.ts'
import { type OwnIssuer, readOwnIssuer } from '../../../src/dialect/authority.ts'
import { createOpaqueClaims } from '../../../src/dialect/token/opaque-claims.ts'
import { tokenVersionOf, tokenVersions } from '../../../src/dialect/token/token-versions.ts'
import type { TokenDecision } from '../../../src/issuance/token-decision.ts'
import { builtInApis } from '../../../src/management/privileges/built-in-apis.ts'

const context = {
  authority: {
    authUrl: 'https://login.test',
    issuerUrl: 'https://sts.test',
    issuerUrlV2: 'https://login.test',
  },
  times: { issuedAt: 1000, expiresAt: 4900, expiresInSeconds: 3599 },
  opaque: { aio: 'aio', rh: 'rh', uti: 'uti', xms_ftd: 'ftd' },
}

const decision = (
  api: Partial<Application> = {},
  part: Partial<TokenDecision> = {},
): TokenDecision => ({
  tenant: tenant(),
  client: {
    application: application({ appId: guid(0xa1) }),
    principal: servicePrincipal({ id: guid(0xb1) }),
  },
  method: 'secret',
  credentialId: guid(0xc1),
  resource: {
    requestedAs: 'api://greeting',
    application: application(api),
    principal: servicePrincipal(),
  },
  roles: ['CallHiApiRole'],
  ...part,
})

const times = { iat: 1000, nbf: 1000, exp: 4900 }
const subject = {
  oid: guid(0xb1),
  rh: 'rh',
  sub: guid(0xb1),
  tid: guid(1),
  uti: 'uti',
  xms_ftd: 'ftd',
}
const v1 = {
  aud: 'api://greeting',
  iss: `https://sts.test/${guid(1)}/`,
  ...times,
  aio: 'aio',
  appid: guid(0xa1),
  appidacr: '1',
  idp: `https://sts.test/${guid(1)}/`,
  ...subject,
  roles: ['CallHiApiRole'],
  ver: '1.0',
}
const v2 = {
  aud: guid(0xa0),
  iss: `https://login.test/${guid(1)}/v2.0`,
  ...times,
  aio: 'aio',
  azp: guid(0xa1),
  azpacr: '1',
  ...subject,
  roles: ['CallHiApiRole'],
  ver: '2.0',
}
const { roles: _, ...v1WithoutRoles } = v1
const requests = (name: string, ...additionalProperties: string[]): Partial<Application> => ({
  optionalAccessTokenClaims: [{ name, additionalProperties }],
})
const requestsAll = (...names: string[]): Partial<Application> => ({
  optionalAccessTokenClaims: names.map((name) => ({ name, additionalProperties: [] })),
})
const facets = ['xms_act_fct', 'xms_sub_fct', 'xms_tnt_fct']
const resourceInAzure = '/subscriptions/1/resourcegroups/jobs/providers/vm'
const managedIdentity = (alternativeNames: string[]) =>
  servicePrincipal({ id: guid(0xb1), inertProperties: { alternativeNames } })
const version2: Partial<Application> = { requestedAccessTokenVersion: 2 }

const claim = { additionalProperties: [] }

const rows: [string, TokenDecision, object][] = [
  [
    'with predefined claims that are essential or have an empty source (entra E343)',
    decision({
      optionalAccessTokenClaims: [
        { ...claim, name: 'idtyp', source: '', essential: true },
        { ...claim, name: 'xms_tnt_fct', source: null, essential: true },
        { ...claim, name: 'myclaim', source: '', essential: true },
      ],
    }),
    { ...v1, idtyp: 'app', xms_tnt_fct: '3 9' },
  ],
  [
    'without attributes of users, whatever their names (entra E343)',
    decision({
      optionalAccessTokenClaims: [
        { ...claim, name: 'idtyp', source: 'user' },
        { name: 'aud', source: 'user', additionalProperties: ['use_guid'] },
        { name: 'userclaim', source: 'user', essential: true, additionalProperties: [] },
      ],
    }),
    v1,
  ],
  ['1.0 for an API that requests no version', decision(), v1],
  ['1.0 for an API that requests 1', decision({ requestedAccessTokenVersion: 1 }), v1],
  ['2.0 for an API that requests 2', decision(version2), v2],
  [
    'without the claim roles for a client without roles',
    decision({}, { roles: [] }),
    v1WithoutRoles,
  ],
  [
    'with the authentication class 2 for an assertion, 1.0',
    decision({}, { method: 'assertion' }),
    { ...v1, appidacr: '2' },
  ],
  [
    'with the authentication class 2 for an assertion, 2.0',
    decision(version2, { method: 'assertion' }),
    { ...v2, azpacr: '2' },
  ],
  [
    'with the application id as audience where the API requests use_guid',
    decision(requests('aud', 'use_guid')),
    { ...v1, aud: guid(0xa0) },
  ],
  ['with the requested name as audience without use_guid', decision(requests('aud')), v1],
  [
    'with idtyp where the API requests it, 1.0',
    decision(requests('idtyp')),
    { ...v1, idtyp: 'app' },
  ],
  [
    'with idtyp where the API requests it, 2.0',
    decision({ ...version2, ...requests('idtyp') }),
    { ...v2, idtyp: 'app' },
  ],
  [
    'with region, relation and facets where the API requests them (entra E257)',
    decision({ ...version2, ...requestsAll('tenant_region_scope', 'xms_idrel', ...facets) }),
    {
      ...v2,
      tenant_region_scope: 'WW',
      xms_idrel: '7 16',
      xms_act_fct: '3 9',
      xms_sub_fct: '9 3',
      xms_tnt_fct: '3 9',
    },
  ],
  [
    'without a claim that only Microsoft Graph has, or that only people have',
    decision(requestsAll('wids', 'app_displayname', 'xms_tcdt', 'email', 'constructor')),
    v1,
  ],
  [
    'with the capabilities of the client where the API requests them (entra E258)',
    decision(requests('xms_cc'), { capabilities: ['CP1'] }),
    { ...v1, xms_cc: ['CP1'] },
  ],
  ...['appidacr', 'azpacr'].map((claim): [string, TokenDecision, object] => {
    const [api, claims] = claim === 'azpacr' ? [version2, v2] : [{}, v1]
    const principal = managedIdentity(['isExplicit=False', resourceInAzure])
    return [
      `with the class 2 and the resource of a managed identity, in ${claim} (entra E261)`,
      decision(api, { client: { application: application({ appId: guid(0xa1) }), principal } }),
      { ...claims, [claim]: '2', xms_mirid: resourceInAzure },
    ]
  }),
  [
    'of an ordinary client for one with another alternative name',
    decision(
      {},
      { client: { ...decision().client, principal: managedIdentity(['x/subscriptions/']) } },
    ),
    v1,
  ],
  ['without capabilities of a client that declares none', decision(requests('xms_cc')), v1],
  ['without capabilities for another API', decision({}, { capabilities: ['cp1'] }), v1],
]

describe('a token', () => {
  for (const [what, decided, expected] of rows) {
    it(`is ${what}`, () => {
      assert.deepEqual(tokenVersionOf(decided).claims(decided, context), expected)
    })
  }

  it('for Microsoft Graph has the same claims as in Entra ID, in the same order (entra E256)', () => {
    const decided = decision({ appId: graphAppId }, { boundTo: 'thumbprint' })
    const claims = tokenVersionOf(decided).claims(decided, context)
    assert.deepEqual(Object.keys(claims), [
      ...['aud', 'iss', 'iat', 'nbf', 'exp', 'aio', 'app_displayname', 'appid', 'appidacr', 'cnf'],
      ...['idp', 'idtyp', 'oid', 'rh', 'roles', 'sub', 'tenant_region_scope', 'tid', 'uti', 'ver'],
      ...['wids', 'xms_act_fct', 'xms_ftd', 'xms_idrel', 'xms_sub_fct', 'xms_tcdt', 'xms_tnt_fct'],
    ])
    const { client, tenant: home } = decided
    assert.partialDeepStrictEqual(claims, {
      app_displayname: client.principal.displayName,
      wids: ['0997a1d0-0d1d-4acb-b408-d5ca73121e90'],
      xms_tcdt: Math.floor(home.createdDateTime.getTime() / 1000),
    })
  })

  it('for Azure Resource Manager has its type, facets and relation (entra E256)', () => {
    const api = builtInApis(new Date()).find(({ appId }) => appId === resourceManagerAppId)
    const decided = decision(api)
    assert.deepEqual(tokenVersionOf(decided).claims(decided, context), {
      ...v1,
      idtyp: 'app',
      xms_act_fct: '3 9',
      xms_idrel: '7 16',
      xms_sub_fct: '9 3',
    })
  })

  it('has rh for its tenant and API, and a random xms_ftd of 32 bytes (entra E255, E53)', () => {
    const ones = (length: number) => new Uint8Array(length).fill(255)
    const api = decision({ appId: '444250ae-e178-4c13-9942-ec564e769bf4' })
    const home = tenant({ id: '14bc2ff7-5fd1-4ce2-a110-4f71b9a2ce41' })
    const { rh, xms_ftd } = createOpaqueClaims(ones, { ...api, tenant: home })
    // A published token has this value, except for the bytes 1 and 2, which the last bytes repeat.
    const real = Buffer.from('AUEB9y-8FNFf4kyhEE9xuaLOQa5QQkR44RNMmULsVk52m_QAAABBAQ', 'base64url')
    const bytes = Buffer.from(rh.slice(2, -1), 'base64url')
    assert.deepEqual(bytes.subarray(3, 38), real.subarray(3, 38))
    assert.deepEqual([bytes[0], ...bytes.subarray(1, 3)], [1, ...bytes.subarray(38)])
    assert.match(rh, /^1\..{54}\.$/)
    assert.equal(xms_ftd, `${'_'.repeat(42)}8`)
  })

  it('identifies its key by x5t and kid in version 1.0, and by kid in version 2.0', () => {
    assert.deepEqual(tokenVersions['1.0'].keyMembers('key'), { x5t: 'key', kid: 'key' })
    assert.deepEqual(tokenVersions['2.0'].keyMembers('key'), { kid: 'key' })
  })
})

describe('an issuer', () => {
  const authority = {
    authUrl: 'https://login.test',
    issuerUrl: 'https://sts.test',
    issuerUrlV2: 'https://login.test',
  }
  const tenantId = guid(1)
  const rows: readonly (readonly [string, OwnIssuer | undefined])[] = [
    [`https://sts.test/${tenantId}/`, { tenantId, tokenVersion: '1.0' }],
    [`https://login.test/${tenantId}/v2.0`, { tenantId, tokenVersion: '2.0' }],
    [`https://sts.test/${tenantId}`, undefined],
    [`https://other.test/${tenantId}/v2.0`, undefined],
  ]
  for (const [issuer, expected] of rows)
    it(`${issuer} belongs to ${expected ? `this server: ${expected.tokenVersion}` : 'another server'}`, () =>
      assert.deepEqual(readOwnIssuer(authority, issuer), expected))
})
