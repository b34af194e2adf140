import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Application } from '@greeting/directory'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../../fixtures/directory/sample.ts'
import { type OwnIssuer, readOwnIssuer } from '../../../src/dialect/authority.ts'
import { tokenVersionOf, tokenVersions } from '../../../src/dialect/token/token-versions.ts'
import type { TokenDecision } from '../../../src/issuance/token-decision.ts'

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
const version2: Partial<Application> = { requestedAccessTokenVersion: 2 }

const rows: [string, TokenDecision, object][] = [
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
]

describe('a token', () => {
  for (const [what, decided, expected] of rows) {
    it(`is ${what}`, () => {
      assert.deepEqual(tokenVersionOf(decided).claims(decided, context), expected)
    })
  }

  it('names its key by x5t and kid in version 1.0, by kid in version 2.0', () => {
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
    it(`${issuer} is ${expected ? `of this server: ${expected.tokenVersion}` : 'of another'}`, () =>
      assert.deepEqual(readOwnIssuer(authority, issuer), expected))
})
