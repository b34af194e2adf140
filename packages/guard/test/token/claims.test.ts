import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TrustedIssuer } from '../../src/options-schema.ts'
import { checkClaims, checkValidityPeriod } from '../../src/token/claims.ts'
import { DeclaredRoles } from '../../src/token/declared-roles.ts'
import {
  apiApplicationId,
  audience,
  claimsWith,
  issuer,
  now,
  roles,
  tenantId,
} from '../token-factory.ts'

const declared = new DeclaredRoles(roles)

const trusted: TrustedIssuer = {
  issuer,
  audiences: [audience],
  tenantId,
  keySetUrl: 'https://login.example/keys',
  tokenVersion: '1.0',
  claims: { applicationId: 'appid', tokenId: 'uti' },
}

const judge = (changes: Record<string, unknown>, of: TrustedIssuer = trusted) => {
  const claims = claimsWith(changes)
  for (const name of Object.keys(claims)) if (claims[name] === undefined) delete claims[name]
  const judged = checkClaims(claims, of, declared)
  return typeof judged === 'string' ? judged : 'granted'
}

type Rows = [change: Record<string, unknown>, expected: string][]

const expectRows = (rows: Rows, cites: string) => {
  for (const [change, expected] of rows) {
    const [[name, value] = []] = Object.entries(change)
    const shown = value === undefined ? 'absent' : String(JSON.stringify(value) ?? value)
    it(`${name} ${shown.slice(0, 60)} is ${expected} (${cites})`, () => {
      assert.equal(judge(change), expected)
    })
  }
}

/** One value of each JSON type, and values that careless checks accept. */
const oddities = [null, true, false, 0, 1, '', 'x', [], {}, [[]], '__proto__']

describe('the issuer', () => {
  const wrong = [
    undefined,
    ...oddities,
    [issuer],
    ['https://evil.example', issuer],
    issuer.slice(0, -1),
    `${issuer}/`,
    issuer.toUpperCase(),
    issuer.replace('https', 'http'),
    issuer.replace('sts.windows.net', 'sts.windows.net.evil.example'),
    issuer.replace('sts', 'ѕts'),
    ` ${issuer}`,
    `https://sts.windows.net/${apiApplicationId}/`,
  ]
  expectRows(
    wrong.map((iss) => [{ iss }, 'issuer_not_trusted']),
    'RS8; CVE-2025-30144, CVE-2024-53861, CVE-2018-15801',
  )
})

describe('the tenant', () => {
  const wrong = [undefined, ...oddities, [tenantId], tenantId.toUpperCase(), apiApplicationId]
  expectRows(
    wrong.map((tid) => [{ tid }, 'tenant_not_trusted']),
    'RS8; CVE-2025-55241, CVE-2026-23552',
  )

  it('is not checked for an issuer without a tenant', () => {
    const { tenantId: _, ...tenantless } = trusted
    assert.equal(judge({ tid: undefined }, tenantless), 'granted')
  })
})

describe('the audience', () => {
  const wrong = [
    undefined,
    ...oddities,
    apiApplicationId,
    `${audience}/.default`,
    `${audience}/`,
    audience.toUpperCase(),
    audience.slice(0, -1),
    `${audience}x`,
    ['api://another'],
    [[audience]],
    [audience, 1],
    [audience, null],
    { 0: audience, length: 1 },
    { [audience]: true },
  ]
  expectRows(
    wrong.map((aud) => [{ aud }, 'audience_not_ours']),
    'RS10; CVE-2025-62610',
  )
  expectRows(
    [
      [{ aud: [audience] }, 'granted'],
      [{ aud: ['api://another', audience] }, 'granted'],
    ],
    'RS10',
  )
})

describe('another kind of token', () => {
  expectRows(
    [
      [{ nonce: 'x' }, 'type_not_access_token'],
      [{ at_hash: 'x' }, 'type_not_access_token'],
      [{ c_hash: 'x' }, 'type_not_access_token'],
      [{ s_hash: 'x' }, 'type_not_access_token'],
      [{ events: {} }, 'type_not_access_token'],
      [{ htm: 'GET' }, 'type_not_access_token'],
      [{ htu: 'https://api.example' }, 'type_not_access_token'],
      [{ scp: 'user_impersonation' }, 'type_not_access_token'],
      [{ scp: '' }, 'type_not_access_token'],
      [{ idtyp: 'user' }, 'type_not_access_token'],
      [{ idtyp: ['app'] }, 'type_not_access_token'],
      [{ idtyp: 'app' }, 'granted'],
    ],
    'RS13, RS31',
  )
})

describe('the version', () => {
  expectRows(
    [
      [{ ver: '2.0' }, 'claims_malformed'],
      [{ ver: 1 }, 'claims_malformed'],
      [{ ver: ['1.0'] }, 'claims_malformed'],
      [{ ver: undefined }, 'granted'],
    ],
    'RS8',
  )

  const { tokenVersion: _, ...versionless } = trusted
  for (const ver of [...oddities, '1.0', '2.0', 2, 1.5]) {
    it(`${JSON.stringify(ver)} is ignored if the issuer has no version (RFC 7519 section 4)`, () => {
      assert.equal(judge({ ver }, versionless), 'granted')
    })
  }

  it("must match the version of the token's issuer", () => {
    const v2 = { ...trusted, tokenVersion: '2.0' }
    assert.equal(judge({ ver: '2.0' }, v2), 'granted')
    assert.equal(judge({ ver: '1.0' }, v2), 'claims_malformed')
  })
})

describe('the names in a token', () => {
  const unusable = [null, true, 0, '', [], {}, ['x']]
  for (const name of ['appid', 'sub', 'oid', 'uti']) {
    expectRows(
      unusable.map((value) => [{ [name]: value }, 'claims_malformed']),
      'RS18',
    )
  }
  expectRows(
    [
      [{ appid: undefined }, 'claims_malformed'],
      [{ sub: undefined }, 'claims_malformed'],
      [{ oid: undefined }, 'granted'],
      [{ uti: undefined }, 'granted'],
      [{ sub: 'another' }, 'granted'],
    ],
    'RS18',
  )
})

describe('the times in a token', () => {
  const unusable = [null, true, false, '', `${now}`, [now], {}, 'Infinity', '1e9']
  for (const name of ['exp', 'iat', 'nbf']) {
    expectRows(
      unusable.map((value) => [{ [name]: value }, 'claims_malformed']),
      'RS17; CVE-2026-25537',
    )
    it(`${name} 1e400 is claims_malformed (RS17)`, () => {
      assert.equal(judge({ [name]: Number.POSITIVE_INFINITY }), 'claims_malformed')
      assert.equal(judge({ [name]: Number.NaN }), 'claims_malformed')
    })
  }
  expectRows(
    [
      [{ exp: undefined }, 'claims_malformed'],
      [{ iat: undefined }, 'claims_malformed'],
      [{ nbf: undefined }, 'granted'],
      [{ exp: now + 0.5 }, 'granted'],
    ],
    'RS17',
  )
})

describe('the validity of a token', () => {
  const tolerance = 60
  const at = (second: number, notBefore: number, expiresAt: number) =>
    checkValidityPeriod(notBefore, expiresAt, second * 1000, tolerance) ?? 'valid'

  const rows: [offset: number, notBefore: string, expiresAt: string][] = []
  for (let skew = -300; skew <= 300; skew += 30) {
    rows.push([
      skew,
      skew >= -tolerance ? 'valid' : 'not_yet_valid',
      skew < tolerance ? 'valid' : 'expired',
    ])
  }
  for (const edge of [-61, -60, -59, -1, 0, 1, 59, 60, 61]) {
    rows.push([
      edge,
      edge >= -tolerance ? 'valid' : 'not_yet_valid',
      edge < tolerance ? 'valid' : 'expired',
    ])
  }
  for (const [offset, notBefore, expiresAt] of rows) {
    it(`is ${notBefore} ${offset} s after its start, and ${expiresAt} ${offset} s after its end (FL11)`, () => {
      assert.equal(at(now + offset, now, now + 3600), notBefore)
      assert.equal(at(now + 3600 + offset, now, now + 3600), expiresAt)
    })
  }

  it('starts at the later of nbf and iat, so a token from the future is refused (RS17)', () => {
    for (const changes of [
      { iat: now + 61, nbf: now },
      { iat: now, nbf: now + 61 },
    ]) {
      const judged = checkClaims(claimsWith(changes), trusted, declared)
      assert.ok(typeof judged !== 'string')
      assert.equal(at(now, judged.notBefore, judged.caller.expiresAt), 'not_yet_valid')
      assert.equal(at(now + 1, judged.notBefore, judged.caller.expiresAt), 'valid')
    }
  })

  it('does not exist if the time is not a number', () => {
    assert.equal(at(now, now, Number.NaN), 'expired')
    assert.equal(at(now, Number.NaN, now + 1), 'not_yet_valid')
    assert.equal(checkValidityPeriod(0, 1e12, Number.NaN, 60), 'expired')
  })
})
