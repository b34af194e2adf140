import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { credentialKindOf } from '../../src/endpoints/token-observation.ts'
import {
  type Assertion,
  assertionTimeRefusal,
  readAssertion,
} from '../../src/issuance/assertion.ts'
import { Refused } from '../../src/refusals/refusal.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')
const usual = '{"iss":"a","sub":"a","aud":"b","exp":1900000000}'
const token = (claims = usual, header = '{"alg":"PS256"}') =>
  `${encoded(header)}.${encoded(claims)}.c2ln`

const reasonOf = (text: string) => {
  const assertion = readAssertion(text)
  return assertion instanceof Refused ? assertion.refusal.reason : 'read'
}

function read(text: string): Assertion {
  const assertion = readAssertion(text)
  assert.ok(!(assertion instanceof Refused))
  return assertion
}

describe('reading an assertion', () => {
  it('selects the strongest key name in the header', () => {
    const keyName = (header: string) => read(token(usual, header)).keyName
    assert.equal(keyName('{"alg":"PS256","x5t#S256":"a","x5t":"b","kid":"c"}'), 'a')
    assert.equal(keyName('{"alg":"PS256","x5t":"b","kid":"c"}'), 'b')
    assert.equal(keyName('{"alg":"PS256","kid":"c"}'), 'c')
    assert.equal(keyName('{"alg":"PS256"}'), null)
    assert.equal(keyName('{"alg":"PS256","kid":7}'), null)
  })

  it('returns no kind if the assertion cannot be read', () => {
    assert.equal(credentialKindOf({ method: 'assertion', assertion: 'a.b' }), 'none')
  })

  it('returns no ID without jti, so its use is not recorded', () => {
    assert.equal(read(token()).jti, null)
  })

  const malformed: [string, string][] = [
    ['two parts', 'a.b'],
    ['five parts, as an encrypted token has (CVE-2026-29000)', 'a.b.c.d.e'],
    ['a header that is not JSON', `${encoded('x')}.${encoded(usual)}.c2ln`],
    ['a header that is a list', token(usual, '[]')],
    ['claims that are a list (fast-jwt #638)', token('[]')],
    ['claims that are a text', token('"x"')],
    ['claims that are null', token('null')],
    ['an infinite time', token('{"iss":"a","sub":"a","aud":"b","exp":1e400}')],
    [
      'an expiry after the year 9998 (AS20)',
      token('{"iss":"a","sub":"a","aud":"b","exp":253370764801}'),
    ],
    ['a header with crit (AS21)', token(usual, '{"alg":"PS256","crit":["b64"],"b64":true}')],
    ['a header with an empty crit (AS21)', token(usual, '{"alg":"PS256","crit":[]}')],
    ['a header with b64 (AS21)', token(usual, '{"alg":"PS256","b64":false}')],
    ['a header with b64 of true (AS21)', token(usual, '{"alg":"PS256","b64":true}')],
    ['a time that is a text', token('{"iss":"a","sub":"a","aud":"b","exp":"1900000000"}')],
    [
      'an issuer that is a list (CVE-2025-30144)',
      token('{"iss":["a"],"sub":"a","aud":"b","exp":1}'),
    ],
    ['an audience that is an object', token('{"iss":"a","sub":"a","aud":{},"exp":1}')],
    ['an audience of numbers', token('{"iss":"a","sub":"a","aud":[1],"exp":1}')],
    ['more than 16 KB', token(`{"iss":"a","sub":"a","aud":"${'b'.repeat(20_000)}","exp":1}`)],
  ]
  for (const [what, text] of malformed) {
    it(`refuses ${what}`, () => {
      assert.equal(reasonOf(text), 'assertion_malformed')
    })
  }

  for (const claim of ['iss', 'sub', 'aud', 'exp']) {
    it(`names the claim ${claim} when it is missing`, () => {
      const claims = JSON.parse(usual)
      delete claims[claim]
      assert.equal(reasonOf(token(JSON.stringify(claims))), 'assertion_claim_missing')
    })
  }

  it('withstands thousands of brackets (CVE-2025-53864)', () => {
    const deep = token(`{"iss":${'['.repeat(5000)}${']'.repeat(5000)}}`)
    assert.equal(reasonOf(deep), 'assertion_claim_missing')
  })
})

describe('an assertion with a time limit', () => {
  const now = 1_900_000_000
  const times = { clockToleranceSeconds: 60, maxLifetimeSeconds: 600 }
  const reasonOfTime = (claims: { nbf?: number; iat?: number; exp: number }) =>
    assertionTimeRefusal(
      read(token(JSON.stringify({ iss: 'a', sub: 'a', aud: 'b', ...claims }))),
      times,
      new Date(now * 1000),
    )?.refusal.reason ?? 'accepted'
  const rows: [string, Parameters<typeof reasonOfTime>[0], string][] = [
    ['that is valid now', { nbf: now, exp: now + 600 }, 'accepted'],
    ['that expired 59 s ago', { exp: now - 59 }, 'accepted'],
    ['that expired 60 s ago', { exp: now - 60 }, 'assertion_time_invalid'],
    ['that starts in 60 s', { nbf: now + 60, exp: now + 300 }, 'accepted'],
    ['that starts in 61 s', { nbf: now + 61, exp: now + 300 }, 'assertion_time_invalid'],
    [
      'that was issued 61 s ahead, without a start',
      { iat: now + 61, exp: now + 300 },
      'assertion_time_invalid',
    ],
    ['that expires in 660 s', { exp: now + 660 }, 'accepted'],
    ['that expires in 661 s', { exp: now + 661 }, 'assertion_lifetime_too_long'],
  ]
  for (const [what, claims, expected] of rows) {
    it(`${what} is ${expected} (AS18, AS19)`, () => assert.equal(reasonOfTime(claims), expected))
  }
})
