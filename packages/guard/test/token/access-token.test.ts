import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readToken } from '../../src/token/access-token.ts'
import { TokenHeaderReader } from '../../src/token/token-header.ts'
import { claimsWith, TokenFactory } from '../token-factory.ts'

const forge = new TokenFactory('key-1')
const types = new Set(['jwt', 'at+jwt', 'application/at+jwt'])
const read = (token: string) => readToken(token, new TokenHeaderReader(types))
const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64url')
const header = JSON.stringify(forge.header())
const claims = JSON.stringify(claimsWith())

describe('a token in compact form', () => {
  it('is split into its parts', () => {
    const token = forge.token()
    const read1 = read(token)
    assert.ok(typeof read1 !== 'string')
    assert.equal(read1.kid, 'key-1')
    assert.deepEqual(read1.claims, claimsWith())
    assert.equal(read1.signingInput, token.slice(0, token.lastIndexOf('.')))
    assert.equal(read1.signature.length, 256)
  })

  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt']) {
    it(`may have the type ${typ} (RS12)`, () => {
      assert.ok(typeof read(forge.token({}, { typ })) !== 'string')
    })
  }
})

describe('a header', () => {
  const rows: [change: Record<string, unknown>, expected: string][] = [
    ...['none', 'None', 'NONE', 'nOnE', 'HS256', 'HS384', 'HS512', 'PS256', 'ES256', 'RS384'].map(
      (alg): [Record<string, unknown>, string] => [{ alg }, 'algorithm_not_rs256'],
    ),
    ...['rs256', 'RS256 ', ' RS256', 'Rs256', 'RSA1_5', '', null, undefined, ['RS256'], 256].map(
      (alg): [Record<string, unknown>, string] => [{ alg }, 'algorithm_not_rs256'],
    ),
    ...[[], ['exp'], ['b64'], ['alg'], 'exp', null, {}, [''], [1], ['x', 'x']].map(
      (crit): [Record<string, unknown>, string] => [{ crit }, 'header_not_supported'],
    ),
    [{ b64: false }, 'header_not_supported'],
    [{ b64: true }, 'header_not_supported'],
    [{ zip: 'DEF' }, 'header_not_supported'],
    [{ enc: 'A256GCM' }, 'header_not_supported'],
    [{ cty: 'JWT' }, 'header_not_supported'],
    [{ jku: 'https://evil.example/keys' }, 'header_not_supported'],
    [{ x5u: 'https://evil.example/cert' }, 'header_not_supported'],
    [{ jwk: forge.jwk }, 'header_not_supported'],
    [{ x5c: ['MIIC'] }, 'header_not_supported'],
    [{ kid: undefined }, 'header_malformed'],
    [{ kid: '' }, 'header_malformed'],
    [{ kid: 1 }, 'header_malformed'],
    [{ kid: null }, 'header_malformed'],
    [{ kid: ['key-1'] }, 'header_malformed'],
    [{ kid: 'k'.repeat(257) }, 'header_malformed'],
    [{ kid: 'é'.repeat(129) }, 'header_malformed'],
    [{ typ: 'dpop+jwt' }, 'type_not_access_token'],
    [{ typ: 'logout+jwt' }, 'type_not_access_token'],
    [{ typ: 'client-authentication+jwt' }, 'type_not_access_token'],
    [{ typ: '' }, 'type_not_access_token'],
    [{ typ: null }, 'type_not_access_token'],
    [{ typ: ['JWT'] }, 'type_not_access_token'],
  ]
  for (const [change, expected] of rows) {
    it(`with ${JSON.stringify(change).slice(0, 50)} is ${expected} (RS1, RS3, RS6, RS11, RS15; CVE-2026-35042)`, () => {
      assert.equal(read(forge.token({}, change)), expected)
    })
  }

  const texts: [name: string, text: string | Uint8Array][] = [
    ['with a repeated member', header.replace('{', '{"alg":"RS256",')],
    ['with a repeated member, escaped', header.replace('{', '{"\\u0061lg":"RS256",')],
    ['with a byte order mark', `\ufeff${header}`],
    ['with bytes that are not UTF-8', Buffer.from(header.replace('key-1', 'k\xe9'), 'latin1')],
    ['that is an array', `[${header}]`],
    ['that is a string', JSON.stringify(header)],
    ['that is null', 'null'],
    ['that is empty', ''],
    ['with something after it', `${header}x`],
  ]
  for (const [name, text] of texts) {
    it(`with ${name} is malformed (RS7, RS16)`, () => {
      assert.equal(read(forge.signParts(encode(text), encode(claims))), 'header_malformed')
    })
  }
})

describe('claims', () => {
  const texts: [name: string, text: string | Uint8Array][] = [
    ['with a repeated member', claims.replace('{', '{"roles":[],')],
    ['with a repeated member inside', claims.replace('{', '{"a":{"b":1,"b":2},')],
    ['with a repeated member, escaped', claims.replace('{', '{"\\u0061ud":"x",')],
    ['with a byte order mark', `\ufeff${claims}`],
    ['with bytes that are not UTF-8', Buffer.from(claims.replace('E2Rg', '\xff'), 'latin1')],
    ['with an overlong encoding', Buffer.from(claims.replace('E2Rg', '\xc0\xaf'), 'latin1')],
    [
      'with half of a surrogate pair',
      Buffer.from(claims.replace('E2Rg', '\xed\xa0\x80'), 'latin1'),
    ],
    ['that are an array', `[${claims}]`],
    ['that are an empty array', '[]'],
    ['that are a string', '"x"'],
    ['that are a number', '1'],
    ['that are null', 'null'],
    ['that are true', 'true'],
    ['that are empty', ''],
    ['that nest 100 deep', claims.replace('{', `{"a":${'['.repeat(100)}${']'.repeat(100)},`)],
    ['that nest 5,000 deep', claims.replace('{', `{"a":${'['.repeat(5000)}${']'.repeat(5000)},`)],
    ['with a number that JSON does not have', claims.replace('{', '{"a":NaN,')],
  ]
  for (const [name, text] of texts) {
    it(`${name} are malformed (RS7, RS16; fast-jwt #638, CVE-2025-53864)`, () => {
      assert.equal(read(forge.signParts(encode(header), encode(text))), 'claims_malformed')
    })
  }
})

describe('a text that is not three parts of canonical base64url', () => {
  const token = forge.token()
  const [head = '', body = '', signature = ''] = token.split('.')
  const compact = (parts: string[]) => parts.join('.')
  const malformations: [name: string, make: (part: string) => string][] = [
    ['padding', (part) => `${part}=`],
    ['double padding', (part) => `${part}==`],
    ['a space inside', (part) => `${part.slice(0, 8)} ${part.slice(8)}`],
    ['a line end', (part) => `${part}\n`],
    ['a tab', (part) => `\t${part}`],
    ['a byte of zero', (part) => `${part}\0`],
    ['the standard alphabet', (part) => `${part.slice(0, -1)}+`],
    ['a slash', (part) => `${part.slice(0, -1)}/`],
    ['a quote', (part) => `"${part}"`],
    ['a brace', (part) => `{${part}`],
    ['a percent sign', (part) => `${part}%3D`],
    ['a letter beyond ASCII', (part) => `${part}é`],
    ['a full-width letter', (part) => `Ａ${part}`],
    [
      'one additional character',
      (part) =>
        part.length % 4 === 0
          ? `${part}A`
          : `${part}AAAAA`.slice(0, part.length + ((5 - (part.length % 4)) % 4)),
    ],
  ]
  for (const index of [0, 1, 2]) {
    for (const [name, make] of malformations) {
      it(`is malformed by ${name} in part ${index + 1} (RS14; fast-jwt #606)`, () => {
        const parts = [head, body, signature]
        parts[index] = make(parts[index] ?? '')
        assert.equal(read(compact(parts)), 'token_malformed')
      })
    }
  }

  it('is malformed by bits after the last byte (RS14)', () => {
    const last = signature.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = alphabet[alphabet.indexOf(last) + 1] ?? ''
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const changed = signature.slice(0, -1) + twin
    assert.deepEqual(bytes(changed), bytes(signature))
    assert.equal(read(compact([head, body, changed])), 'token_malformed')
  })

  const texts: [name: string, text: string][] = [
    ['nothing', ''],
    ['one part', head],
    ['two parts', `${head}.${body}`],
    ['four parts', `${token}.${signature}`],
    ['five parts, as a JWE has (CVE-2026-29000)', `${head}.${body}.${body}.${body}.${signature}`],
    [
      'a flattened JSON serialisation',
      JSON.stringify({ protected: head, payload: body, signature }),
    ],
    [
      'a JSON text that also splits at dots (CVE-2022-39227)',
      `{"a":"${head}.${body}.${signature}","protected":"${head}"}`,
    ],
    ['16 KB of dots (CVE-2025-30204)', '.'.repeat(16 * 1024)],
    [
      'more than 16 KB',
      `${head}.${encode(JSON.stringify({ a: 'x'.repeat(17_000) }))}.${signature}`,
    ],
  ]
  for (const [name, text] of texts) {
    it(`is malformed as ${name} (RS4, RS14)`, () => {
      assert.equal(read(text), 'token_malformed')
    })
  }
})
