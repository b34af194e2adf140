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

/** jose, told as much of what the guard is told as it can be told. */
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
 * Where the guard is stricter than jose, why, and a token that shows it. Whatever else jose admits
 * the guard must admit: a wrong signature, issuer or expiry is never a matter of taste.
 */
const stricter: Readonly<Partial<Record<RefusalReason, { why: string; shownBy: () => string }>>> = {
  credentials_malformed: {
    why: 'RS25: one word follows the scheme',
    shownBy: () => forge.signParts(encode(header), ` ${encode(claims)}`),
  },
  token_malformed: {
    why: 'RS14: one canonical text for one token, of at most 16 KB',
    shownBy: () => `${forge.token()}==`,
  },
  header_malformed: {
    why: 'RS11, RS16: a kid is required, and no member is repeated',
    shownBy: () => forge.sign(header.replace('{', '{"kid":"other",'), claims),
  },
  header_not_supported: {
    why: 'RS6, RS11, RS15: no extensions, no keys that a token brings',
    shownBy: () => forge.token({}, { jku: 'https://evil.example' }),
  },
  claims_malformed: {
    why: 'RS16, RS17, RS18: no member is repeated, and iat, sub and appid are required',
    shownBy: () => forge.sign(header, claims.replace('{', '{"aud":"other",')),
  },
  type_not_access_token: {
    why: 'RS12, RS13, RS31: no other kind of token, and none that acts for a user',
    shownBy: () => forge.token({ scp: 'user_impersonation' }),
  },
  tenant_not_trusted: { why: 'RS8: the tenant is ours', shownBy: () => forge.token({ tid: 'x' }) },
  audience_not_ours: {
    why: 'RS10: an audience is a string, or strings and nothing else',
    shownBy: () => forge.token({ aud: [audience, 1] }),
  },
  not_yet_valid: {
    why: 'RS17: iat does not lie in the future either',
    shownBy: () => forge.token({ iat: now + 3000 }),
  },
  binding_not_proven: {
    why: 'RS27: a bound token is no bearer token',
    shownBy: () => forge.token({ cnf: { jkt: 'x' } }),
  },
}

async function compare(token: string): Promise<void> {
  const [decision, admits] = await Promise.all([ask(token), joseAdmits(token)])
  // Roles are beyond jose: a token without the role is as good as any, as far as both can tell.
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

/** Changes in a text: characters taken out, put in, doubled or moved. */
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

const runs = { numRuns: 2000 }

describe('the guard beside jose', () => {
  it('admits nothing that jose refuses, whatever is in the claims and the header', async () => {
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

  it('admits nothing that jose refuses, however header and claims are written', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, (inHeader, inClaims) => {
        return compare(forge.sign(edit(header, inHeader), edit(claims, inClaims)))
      }),
      runs,
    )
  })

  it('admits nothing that jose refuses, however the token is written', async () => {
    const token = forge.token()
    // Remembered, so that a text that only resembles it has something to be taken for.
    for (const _ of ['noted', 'remembered']) await ask(token)
    await fc.assert(
      fc.asyncProperty(edits, (by) => compare(edit(token, by))),
      runs,
    )
  })

  it('admits nothing that jose refuses, however its signed parts are encoded', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, (inHeader, inClaims) =>
        compare(forge.signParts(edit(encode(header), inHeader), edit(encode(claims), inClaims))),
      ),
      runs,
    )
  })

  for (const [reason, rule] of Object.entries(stricter)) {
    it(`is stricter by ${reason} (${rule.why})`, async () => {
      const token = rule.shownBy()
      assert.equal(await joseAdmits(token), true)
      assert.equal(reasonOf(await ask(token)), reason)
    })
  }

  it('is stricter by nothing else: it admits the same plain token', async () => {
    assert.equal(await joseAdmits(forge.token()), true)
    assert.equal(reasonOf(await ask(forge.token())), 'admitted')
  })
})
