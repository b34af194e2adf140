import { createHash, sign } from 'node:crypto'
import { rsaKeyPair } from '../../fixtures/rsa-key-pair.ts'

const tenantId = '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e'
const apiApplicationId = '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001'
const issuer = `https://sts.windows.net/${tenantId}/`

/** The time of the suite, seconds since the epoch. */
const now = 1_795_000_000

const trusted = rsaKeyPair(2048)
const other = rsaKeyPair(3072)
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

type Changes = { readonly header?: object; readonly claims?: object; readonly key?: typeof trusted }

function token({ header, claims, key = trusted }: Changes = {}): string {
  const input = [
    { typ: 'JWT', alg: 'RS256', kid: 'key-1', ...header },
    {
      aud: `api://${apiApplicationId}`,
      iss: issuer,
      iat: now - 300,
      nbf: now - 300,
      exp: now + 3600,
      appid: '6a8b4b39-1111-4222-8333-c0ffee000002',
      appidacr: '1',
      idp: issuer,
      oid: '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003',
      roles: ['CallHiApiRole'],
      sub: '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003',
      tid: tenantId,
      uti: 'AbCdEfGhIjKlMnOpQrStUv',
      ver: '1.0',
      ...claims,
    },
  ]
    .map(encode)
    .join('.')
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), key.privateKey).toString('base64url')}`
}

const good = token()
const bearer = (value: string) => `Bearer ${value}`

/** Everything that the suite needs on a runtime without this project, as plain JSON. */
export const suiteInput = {
  now,
  options: { tenantId, apiApplicationId, roles: ['CallHiApiRole', 'CallHelloApiRole'] },
  keySet: JSON.stringify({
    keys: [{ ...trusted.publicKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig' }],
  }),
  tokens: { good, unknownKey: token({ header: { kid: 'key-2' } }) },
  digest: createHash('sha256').update(good).digest('hex'),
  rows: [
    { name: 'with the role', path: '/hi', authorization: bearer(good), status: 200 },
    {
      name: 'the same token again',
      path: '/hi',
      authorization: bearer(good),
      status: 200,
      isCached: true,
    },
    {
      name: 'without the role',
      path: '/hello',
      authorization: bearer(good),
      status: 403,
      reason: 'role_missing',
    },
    { name: 'no token', path: '/hi', status: 401, reason: 'no_credentials' },
    {
      name: 'two words',
      path: '/hi',
      authorization: 'Bearer a b',
      status: 400,
      reason: 'credentials_malformed',
    },
    {
      name: 'a token in the query',
      path: '/hi?access_token=a',
      authorization: bearer(good),
      status: 400,
      reason: 'token_in_query',
    },
    {
      name: 'another path',
      path: '/bye',
      authorization: bearer(good),
      status: 404,
      reason: 'not_found',
    },
    {
      name: 'signed by another key',
      path: '/hi',
      authorization: bearer(token({ key: other })),
      status: 401,
      reason: 'signature_invalid',
    },
    {
      name: 'without an algorithm',
      path: '/hi',
      authorization: bearer(token({ header: { alg: 'none' } })),
      status: 401,
      reason: 'algorithm_not_rs256',
    },
    {
      name: 'expired',
      path: '/hi',
      authorization: bearer(token({ claims: { exp: now - 61 } })),
      status: 401,
      reason: 'expired',
    },
    {
      name: 'not yet valid',
      path: '/hi',
      authorization: bearer(token({ claims: { nbf: now + 61 } })),
      status: 401,
      reason: 'not_yet_valid',
    },
    {
      name: 'for another API',
      path: '/hi',
      authorization: bearer(token({ claims: { aud: 'api://other' } })),
      status: 401,
      reason: 'audience_not_ours',
    },
    {
      name: 'of another issuer',
      path: '/hi',
      authorization: bearer(token({ claims: { iss: 'https://other.example/' } })),
      status: 401,
      reason: 'issuer_not_trusted',
    },
  ],
}
