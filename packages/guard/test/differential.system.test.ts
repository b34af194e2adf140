import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import type { RefusalReason } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from './guard-factory.ts'
import {
  audience,
  claimsWith,
  issuer,
  type Json,
  keySetOf,
  now,
  TokenFactory,
} from './token-factory.ts'

const forge = new TokenFactory('key-1')
const second = new TokenFactory('key-2')
const keySet = keySetOf(forge, second)
const findKey = createLocalJWKSet(JSON.parse(keySet) as JSONWebKeySet)
const { ask } = guardIn(new VirtualRuntime(keySet))

/** jose, configured as similarly to the guard as possible. */
async function joseAdmits(token: string): Promise<boolean> {
  try {
    await jwtVerify(token, findKey, {
      algorithms: ['RS256'],
      issuer,
      audience,
      clockTolerance: 60,
      currentDate: new Date(now * 1000),
      requiredClaims: ['exp'],
    })
    return true
  } catch {
    return false
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64url')
const header = JSON.stringify(forge.header())
const claims = JSON.stringify(claimsWith())

/**
 * The rules in which the guard is stricter than jose, with an example token each. The guard must
 * admit every other token that jose admits. A difference in signature, issuer or expiry is never
 * allowed.
 */
const stricter: Readonly<Partial<Record<RefusalReason, { why: string; shownBy: () => string }>>> = {
  credentials_malformed: {
    why: 'RS25: one word follows the scheme',
    shownBy: () => forge.signParts(encode(header), ` ${encode(claims)}`),
  },
  token_malformed: {
    why: 'RS14: each token has one canonical text, of at most 16 KB',
    shownBy: () => `${forge.token()}==`,
  },
  header_malformed: {
    why: 'RS11, RS16: a kid is required, and no member is repeated',
    shownBy: () => forge.sign(header.replace('{', '{"kid":"other",'), claims),
  },
  header_not_supported: {
    why: 'RS6, RS11, RS15: no extensions, and no keys in a token',
    shownBy: () => forge.token({}, { jku: 'https://evil.example' }),
  },
  claims_malformed: {
    why: 'RS16, RS17, RS18: no member is repeated, and iat, sub and appid are required',
    shownBy: () => forge.sign(header, claims.replace('{', '{"aud":"other",')),
  },
  type_not_access_token: {
    why: 'RS12, RS13, RS31: no other kind of token, and no token that acts for a user',
    shownBy: () => forge.token({ scp: 'user_impersonation' }),
  },
  tenant_not_trusted: {
    why: 'RS8: the tenant is the expected one',
    shownBy: () => forge.token({ tid: 'x' }),
  },
  audience_not_ours: {
    why: 'RS10: an audience is a string, or a list of strings only',
    shownBy: () => forge.token({ aud: [audience, 1] }),
  },
  not_yet_valid: {
    why: 'RS17: iat is not in the future either',
    shownBy: () => forge.token({ iat: now + 3000 }),
  },
  binding_not_proven: {
    why: 'RS27: a bound token is not a bearer token',
    shownBy: () => forge.token({ cnf: { jkt: 'x' } }),
  },
}

async function compare(token: string): Promise<void> {
  // The guard takes several spaces after the scheme, and jose gets no header.
  const [decision, admits] = await Promise.all([ask(token), joseAdmits(token.replace(/^ +/, ''))])
  // jose knows no roles: for both, a token without the role counts as valid.
  const reason = decision.outcome === 'admitted' ? undefined : decision.reason
  if (reason === undefined || reason === 'role_missing') {
    assert.ok(admits, `the guard admits what jose refuses: ${token}`)
  } else if (admits) {
    assert.ok(reason in stricter, `${reason} is no listed reason to be stricter: ${token}`)
  }
}

const near = fc.integer({ min: -120, max: 120 }).map((offset) => now + offset)
const oddity = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  near,
  fc.double(),
  fc.constantFrom(
    'RS256',
    'none',
    issuer,
    audience,
    [audience],
    [audience, 1],
    'JWT',
    '1.0',
    [],
    {},
  ),
)
const claimName = fc.constantFrom(
  ...['aud', 'iss', 'iat', 'nbf', 'exp', 'appid', 'oid', 'roles', 'sub', 'tid', 'uti', 'ver'],
  ...['cnf', 'scp', 'nonce', 'idtyp', 'events', 'jti', '__proto__', 'constructor'],
)
const headerName = fc.constantFrom(
  ...['alg', 'typ', 'kid', 'x5t', 'crit', 'b64', 'zip', 'jku', 'jwk', 'x5u', 'x5c', 'cty', 'enc'],
)
const headerOddity = fc.oneof(
  oddity,
  fc.constantFrom(
    'key-2',
    'key-3',
    'at+jwt',
    'application/jwt',
    'HS256',
    'PS256',
    ['exp'],
    ['b64'],
  ),
)
const changes = (name: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(name, fc.option(value, { nil: undefined })), { maxLength: 3 })

/** Changes in a text: removed, added, doubled or moved characters. */
const edits = fc.array(
  fc.record({
    at: fc.nat(2000),
    take: fc.nat(3),
    put: fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom('"', '\\', '=', '.', '"aud":"x",', '"iss":1,', '\u0000', 'é', '+', '/', ' '),
    ),
  }),
  { maxLength: 3 },
)
const edit = (text: string, by: { at: number; take: number; put: string }[]) =>
  by.reduce((left, { at, take, put }) => {
    const place = at % (left.length + 1)
    return left.slice(0, place) + put + left.slice(place + take)
  }, text)

const apply = (to: Json, by: [string, unknown][]) => {
  const changed = { ...to }
  for (const [name, value] of by) {
    Object.defineProperty(changed, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return changed
}

const runs = { numRuns: 1000 }

describe('the guard, compared with jose,', () => {
  it('admits no token that jose refuses, with any claims and header', async () => {
    await fc.assert(
      fc.asyncProperty(
        changes(claimName, oddity),
        changes(headerName, headerOddity),
        (claims, header) =>
          compare(forge.sign(apply(forge.header(), header), apply(claimsWith(), claims))),
      ),
      runs,
    )
  })

  it('admits no token that jose refuses, with any JSON text as header and claims', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, (inHeader, inClaims) => {
        return compare(forge.sign(edit(header, inHeader), edit(claims, inClaims)))
      }),
      runs,
    )
  })

  it('admits no token that jose refuses, with any change of its text', async () => {
    const token = forge.token()
    // Cached, so that a similar text could be mistaken for it.
    for (const _ of ['noted', 'remembered']) await ask(token)
    await fc.assert(
      fc.asyncProperty(edits, (by) => compare(edit(token, by))),
      runs,
    )
  })

  it('admits no token that jose refuses, with any encoding of its signed parts', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, (inHeader, inClaims) =>
        compare(forge.signParts(edit(encode(header), inHeader), edit(encode(claims), inClaims))),
      ),
      runs,
    )
  })

  for (const [reason, rule] of Object.entries(stricter)) {
    it(`is stricter with ${reason} (${rule.why})`, async () => {
      const token = rule.shownBy()
      assert.equal(await joseAdmits(token), true)
      assert.equal(reasonOf(await ask(token)), reason)
    })
  }

  it('is otherwise not stricter: it admits the same plain token', async () => {
    assert.equal(await joseAdmits(forge.token()), true)
    assert.equal(reasonOf(await ask(forge.token())), 'admitted')
  })
})
