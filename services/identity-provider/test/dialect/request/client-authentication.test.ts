import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readClientAuthentication } from '../../../src/dialect/request/client-authentication.ts'
import { Refused } from '../../../src/refusals/refusal.ts'
import { anyCharacter } from './any-character.ts'

const id = '11111111-2222-4333-8444-555555555555'
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const form = (members: Record<string, string>) => new Map(Object.entries(members))
const basic = (pair: string) => `Basic ${Buffer.from(pair, 'latin1').toString('base64')}`

const codeOf = (members: Record<string, string>, authorization?: string) => {
  const result = readClientAuthentication(form(members), authorization)
  return result instanceof Refused ? result.refusal.reason : 'read'
}

describe('client authentication', () => {
  const secret = { method: 'secret', secret: 's' }
  const inForm = { client_id: id, client_secret: 's' }
  const bySignature = { client_assertion: 'a.b.c', client_assertion_type: jwtBearer }
  const read: readonly (readonly [string, object, object, (string | undefined)?, string?])[] = [
    ['a secret in the form', inForm, secret],
    ['a secret in the form beside a TLS certificate', inForm, secret, undefined, 'thumb'],
    ['a secret in a Basic header', {}, secret, basic(`${id}:s`)],
    [
      'an assertion',
      { client_id: id, ...bySignature },
      { method: 'assertion', assertion: 'a.b.c' },
    ],
    [
      'a TLS certificate',
      { client_id: id },
      { method: 'tls', sha256Thumbprint: 'thumb' },
      undefined,
      'thumb',
    ],
  ]
  for (const [name, members, authentication, authorization, thumbprint] of read)
    it(`reads ${name}`, () => {
      const result = readClientAuthentication(form({ ...members }), authorization, thumbprint)
      assert.deepEqual(result, { clientId: id, authentication })
    })

  it('converts a client ID that is a GUID to lower case', () => {
    const members = { client_id: 'AAAAAAAA-0000-4000-8000-00000000000F', client_secret: 's' }
    const result = readClientAuthentication(form(members), undefined)
    assert.partialDeepStrictEqual(result, { clientId: members.client_id.toLowerCase() })
  })

  const rows: [string, Record<string, string>, string | undefined, string][] = [
    ['no credential', {}, undefined, 'parameter_missing'],
    ['a client ID alone', { client_id: id }, undefined, 'client_authentication_missing'],
    ['Basic without a secret', {}, basic(`${id}:`), 'client_authentication_missing'],
    ['Basic without a colon', {}, basic(id), 'basic_malformed'],
    ['Basic that is not base64', {}, 'Basic a!b', 'basic_malformed'],
    ['Basic with two values', {}, `${basic(`${id}:s`)}, ${basic(`${id}:t`)}`, 'basic_malformed'],
    ['Basic with broken encoding', {}, basic(`${id}:%zz`), 'basic_malformed'],
    ['Basic with bytes that are not UTF-8', {}, basic(`${id}:%ff`), 'basic_malformed'],
    ['another scheme', { client_id: id, client_secret: 's' }, 'Bearer x', 'basic_malformed'],
    ['a client ID in braces', { client_id: `{${id}}` }, undefined, 'client_id_malformed'],
    ['__proto__ as a client ID', { client_id: '__proto__' }, undefined, 'client_id_malformed'],
    [
      'an assertion without a type',
      { client_id: id, client_assertion: 'a' },
      undefined,
      'parameter_missing',
    ],
    [
      'an assertion with a type in upper case',
      { client_id: id, client_assertion: 'a', client_assertion_type: jwtBearer.toUpperCase() },
      undefined,
      'assertion_type_unknown',
    ],
    [
      'a type without an assertion',
      { client_id: id, client_assertion_type: jwtBearer },
      undefined,
      'client_authentication_missing',
    ],
  ]
  for (const [what, members, authorization, code] of rows) {
    it(`refuses ${what}: ${code} (AS3, AS4, AS22)`, () => {
      assert.equal(codeOf(members, authorization), code)
    })
  }

  it('accepts a percent-encoded client ID and secret in a Basic header (AS4)', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (secret) => {
        const header = basic(`${id}:${encodeURIComponent(secret)}`)
        assert.deepEqual(readClientAuthentication(form({}), header), {
          clientId: id,
          authentication: { method: 'secret', secret },
        })
      }),
    )
  })

  it('accepts or refuses every Basic header without an exception', () => {
    fc.assert(fc.property(fc.string(), (pair) => void codeOf({}, basic(pair))))
    fc.assert(fc.property(fc.string(), (header) => void codeOf({}, header)))
  })
})
