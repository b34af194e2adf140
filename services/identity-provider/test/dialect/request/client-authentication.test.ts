import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readClientAuthentication } from '../../../src/dialect/request/client-authentication.ts'
import { RefusedError } from '../../../src/issuance/refusal.ts'

const id = '11111111-2222-4333-8444-555555555555'
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const form = (members: Record<string, string>) => new Map(Object.entries(members))
const basic = (pair: string) => `Basic ${Buffer.from(pair, 'latin1').toString('base64')}`

const codeOf = (members: Record<string, string>, authorization?: string) => {
  try {
    readClientAuthentication(form(members), authorization)
    return 'read'
  } catch (error) {
    assert.ok(error instanceof RefusedError)
    return error.code
  }
}

describe('the proof of a client', () => {
  it('is a secret in the form, or by Basic, or an assertion', () => {
    const secret = { method: 'secret', secret: 's' }
    assert.deepEqual(
      readClientAuthentication(form({ client_id: id, client_secret: 's' }), undefined),
      {
        clientId: id,
        proof: secret,
      },
    )
    assert.deepEqual(readClientAuthentication(form({}), basic(`${id}:s`)), {
      clientId: id,
      proof: secret,
    })
    assert.deepEqual(
      readClientAuthentication(
        form({ client_id: id, client_assertion: 'a.b.c', client_assertion_type: jwtBearer }),
        undefined,
      ),
      { clientId: id, proof: { method: 'assertion', assertion: 'a.b.c' } },
    )
  })

  const rows: [string, Record<string, string>, string | undefined, string][] = [
    ['nothing', {}, undefined, 'parameter_missing'],
    ['an id alone', { client_id: id }, undefined, 'client_authentication_missing'],
    ['Basic without a secret', {}, basic(`${id}:`), 'client_authentication_missing'],
    ['Basic without a colon', {}, basic(id), 'basic_malformed'],
    ['Basic that is not base64', {}, 'Basic a!b', 'basic_malformed'],
    ['Basic with two values', {}, `${basic(`${id}:s`)}, ${basic(`${id}:t`)}`, 'basic_malformed'],
    ['Basic with broken encoding', {}, basic(`${id}:%zz`), 'basic_malformed'],
    ['Basic in bytes that are not UTF-8', {}, basic(`${id}:%ff`), 'basic_malformed'],
    ['another scheme', { client_id: id, client_secret: 's' }, 'Bearer x', 'basic_malformed'],
    ['an id with a brace', { client_id: `{${id}}` }, undefined, 'client_id_malformed'],
    ['__proto__ for an id', { client_id: '__proto__' }, undefined, 'client_id_malformed'],
    [
      'an assertion of no type',
      { client_id: id, client_assertion: 'a' },
      undefined,
      'parameter_missing',
    ],
    [
      'an assertion of a type in other letters',
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
    it(`is refused for ${what}: ${code} (AS3, AS4, AS22)`, () => {
      assert.equal(codeOf(members, authorization), code)
    })
  }

  it('by Basic is any id and secret that were URL-encoded before they were joined (AS4)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (secret) => {
        const header = basic(`${id}:${encodeURIComponent(secret)}`)
        assert.deepEqual(readClientAuthentication(form({}), header).proof, {
          method: 'secret',
          secret,
        })
      }),
    )
  })

  it('by Basic is read or refused, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (pair) => void codeOf({}, basic(pair))))
    fc.assert(fc.property(fc.string(), (header) => void codeOf({}, header)))
  })
})
