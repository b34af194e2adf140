import assert from 'node:assert/strict'
import {
  constants,
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type JsonWebKey,
  sign,
} from 'node:crypto'
import { describe, it } from 'node:test'
import { admitKey, isSignedBy, isUsableKid, rsaKeyFault } from '../../src/keys/verification-key.ts'
import { hideNodeCrypto } from '../fakes/hide-node-crypto.ts'
import { type Json, TokenFactory, tenantId } from '../token-factory.ts'
import { rocaModulus } from './roca-modulus.ts'

const forge = new TokenFactory('key-1')
const { n } = forge.jwk
const modulusBytes = Buffer.from(`${n}`, 'base64url')

const encode = (integer: bigint) => {
  const hex = integer.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
const modulusOf = (bits: bigint) => encode((1n << (bits - 1n)) + (1n << 20n) + 1n)

const verdict = (changes: Json, tenant: string | undefined = tenantId) => {
  const key = admitKey({ ...forge.jwk, ...changes }, tenant)
  return typeof key === 'string' ? key : 'admitted'
}

const rows: [name: string, changes: Json, expected: string][] = [
  ['as published', {}, 'admitted'],
  ['with the algorithm RS256', { alg: 'RS256' }, 'admitted'],
  ['for verifying', { key_ops: ['verify'] }, 'admitted'],
  ['without a use', { use: undefined }, 'admitted'],
  ['with unknown members', { x5t: 'x', x5c: ['x'], cloud_instance_name: 'x' }, 'admitted'],
  ['with a kid of 256 bytes', { kid: 'k'.repeat(256) }, 'admitted'],
  [
    'with the issuer template',
    { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
    'admitted',
  ],
  ['of our tenant', { issuer: `https://sts.windows.net/${tenantId}/` }, 'admitted'],
  ['with 8192 bits', { n: modulusOf(8192n) }, 'admitted'],
  ['with a larger odd exponent', { e: encode(65539n) }, 'admitted'],
  ['named __proto__ (TC4)', { kid: '__proto__' }, 'admitted'],

  ['without a kid', { kid: undefined }, 'kid_unusable'],
  ['with a kid that is a number', { kid: 7 }, 'kid_unusable'],
  ['with an empty kid', { kid: '' }, 'kid_unusable'],
  ['with a kid of 257 bytes', { kid: 'k'.repeat(257) }, 'kid_unusable'],
  ['of another type', { kty: 'EC' }, 'type_not_rsa'],
  ['with a symmetric type', { kty: 'oct', k: 'x' }, 'type_not_rsa'],
  ['with the type in another case', { kty: 'rsa' }, 'type_not_rsa'],
  ['without a type', { kty: undefined }, 'type_not_rsa'],
  ['with the algorithm PS256', { alg: 'PS256' }, 'algorithm_not_rs256'],
  ['with the algorithm HS256', { alg: 'HS256' }, 'algorithm_not_rs256'],
  ['with the algorithm none', { alg: 'none' }, 'algorithm_not_rs256'],
  ['with an encryption algorithm', { alg: 'RSA-OAEP' }, 'algorithm_not_rs256'],
  ['with a null algorithm', { alg: null }, 'algorithm_not_rs256'],
  ['for encryption', { use: 'enc' }, 'use_not_signature'],
  ['with a use that is not a string', { use: ['sig'] }, 'use_not_signature'],
  ['for the operation encrypt', { key_ops: ['encrypt'] }, 'use_not_signature'],
  ['for the operation sign', { key_ops: ['sign'] }, 'use_not_signature'],
  ['with the operation verify and others', { key_ops: ['verify', 'encrypt'] }, 'use_not_signature'],
  ['without an operation', { key_ops: [] }, 'use_not_signature'],
  ['with an operation that is not an array', { key_ops: 'verify' }, 'use_not_signature'],
  ['that is private', { d: 'AQAB' }, 'private_members'],
  ['with a factor', { p: 'AQAB' }, 'private_members'],
  ['with other primes', { oth: [] }, 'private_members'],
  [
    'of the tenant consumers',
    { issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' },
    'other_tenant',
  ],
  [
    'of a tenant that only starts with the expected one',
    { issuer: `https://sts.windows.net/${tenantId}0/` },
    'other_tenant',
  ],
  ['with an issuer that is not a string', { issuer: { tenantId } }, 'other_tenant'],
  ['without a modulus', { n: undefined }, 'modulus_malformed'],
  ['with an empty modulus', { n: '' }, 'modulus_malformed'],
  ['with padding', { n: `${n}=` }, 'modulus_malformed'],
  ['in the standard alphabet', { n: `${String(n).slice(0, -2)}+/` }, 'modulus_malformed'],
  [
    'with a leading zero',
    { n: Buffer.concat([Buffer.alloc(1), modulusBytes]).toString('base64url') },
    'modulus_malformed',
  ],
  ['with an even modulus', { n: encode((1n << 2047n) + 2n) }, 'modulus_malformed'],
  ['with 512 bits', { n: modulusOf(512n) }, 'modulus_too_small'],
  ['with 1024 bits', { n: modulusOf(1024n) }, 'modulus_too_small'],
  ['with 2047 bits', { n: modulusOf(2047n) }, 'modulus_too_small'],
  ['with 8193 bits', { n: modulusOf(8193n) }, 'modulus_too_large'],
  ['with 65,536 bits', { n: modulusOf(65_536n) }, 'modulus_too_large'],
  ['with the exponent 1', { e: 'AQ' }, 'exponent_unsafe'],
  ['with the exponent 3', { e: 'Aw' }, 'exponent_unsafe'],
  ['with the exponent 65536', { e: encode(65_536n) }, 'exponent_unsafe'],
  ['with an even exponent', { e: encode(65_538n) }, 'exponent_unsafe'],
  ['with an exponent of 33 bits', { e: encode((1n << 32n) + 1n) }, 'exponent_unsafe'],
  ['with an exponent as long as the modulus', { e: n }, 'exponent_unsafe'],
  ['without an exponent', { e: undefined }, 'exponent_unsafe'],
  ['with an exponent with a leading zero', { e: 'AAEAAQ' }, 'exponent_unsafe'],
  ['of the flawed generator of CVE-2017-15361', { n: encode(rocaModulus) }, 'modulus_roca'],
]

describe('a published key', () => {
  for (const [name, changes, expected] of rows) {
    it(`${name} is ${expected} (RS2, RS5; FL7)`, () => {
      assert.equal(verdict(changes), expected)
    })
  }

  for (const jwk of [null, 'key', 1, true, [], [forge.jwk]]) {
    it(`that is ${JSON.stringify(jwk)?.slice(0, 20)} is not_an_object (FL7)`, () => {
      assert.equal(admitKey(jwk, undefined), 'not_an_object')
    })
  }

  it('may have any issuer if the options name no tenant', () => {
    const key = admitKey({ ...forge.jwk, issuer: 'https://anywhere.example' }, undefined)
    assert.ok(typeof key !== 'string')
  })

  it('becomes a public key whatever its members are, never a secret (GHSA-g3jj-5cmm-3hxx)', () => {
    for (const changes of [{}, { alg: 'RS256' }, { x5c: ['-----BEGIN'] }]) {
      const key = admitKey({ ...forge.jwk, ...changes }, tenantId)
      assert.ok(typeof key !== 'string')
      const input = Buffer.from('header.claims')
      const secret = createHmac('sha256', JSON.stringify(forge.jwk)).update(input).digest()
      assert.equal(isSignedBy(key, `${input}`, secret), false)
      assert.equal(isSignedBy(key, `${input}`, sign('RSA-SHA256', input, forge.privateKey)), true)
    }
  })
})

describe('a public key from another source', () => {
  const ofNumbers: readonly [name: string, changes: Json, expected: string | undefined][] = [
    ['with valid parameters', {}, undefined],
    ['of 2047 bits', { n: modulusOf(2047n) }, 'modulus_too_small'],
    ['of 8193 bits', { n: modulusOf(8193n) }, 'modulus_too_large'],
    ['with the exponent 1', { e: 'AQ' }, 'exponent_unsafe'],
    ['with the exponent 3', { e: 'Aw' }, 'exponent_unsafe'],
    ['with an exponent of 33 bits', { e: encode((1n << 32n) + 1n) }, 'exponent_unsafe'],
    ['of the flawed generator', { n: encode(rocaModulus) }, 'modulus_roca'],
  ]
  for (const [name, changes, expected] of ofNumbers) {
    it(`${name} is ${expected ?? 'admitted'} under the rules for published keys (RS5)`, () => {
      const jwk = { ...forge.publicKey.export({ format: 'jwk' }), ...changes } as JsonWebKey
      assert.equal(rsaKeyFault(createPublicKey({ key: jwk, format: 'jwk' })), expected)
    })
  }

  it('is type_not_rsa if it has another type (RS5)', () => {
    const pairs = [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
    ]
    for (const { publicKey } of pairs) assert.equal(rsaKeyFault(publicKey), 'type_not_rsa')
  })
})

describe('a signature', () => {
  const runtimes = { 'node:crypto': () => {}, WebCrypto: hideNodeCrypto }
  const check = (input: string, signature: Uint8Array<ArrayBuffer>) => {
    const key = admitKey(forge.jwk, undefined)
    assert.ok(typeof key !== 'string')
    return isSignedBy(key, input, signature)
  }
  const input = 'header.claims'
  const good = sign('RSA-SHA256', Buffer.from(input), forge.privateKey)
  const modulus = BigInt(`0x${modulusBytes.toString('hex')}`)
  const bytesOf = (integer: bigint) =>
    Buffer.from(integer.toString(16).padStart(512, '0').slice(-512), 'hex')
  const value = BigInt(`0x${good.toString('hex')}`)

  for (const [name, use] of Object.entries(runtimes)) {
    it(`from its key is accepted by ${name}`, async (t) => {
      use(t)
      assert.equal(await check(input, good), true)
    })
  }

  const forged: [name: string, signature: Uint8Array<ArrayBuffer>][] = [
    ['empty', Buffer.alloc(0)],
    ['zero', Buffer.alloc(256)],
    ['one', bytesOf(1n)],
    ['the modulus', bytesOf(modulus)],
    ['the modulus minus one', bytesOf(modulus - 1n)],
    ['the good one plus the modulus', bytesOf(value + modulus)],
    ['one byte short', good.subarray(1)],
    ['one byte too short', Buffer.concat([Buffer.alloc(1), good])],
    ['one byte too long', sign('RSA-SHA384', Buffer.from(input), forge.privateKey)],
    ['of another hash', createSign('RSA-SHA1').update(input).sign(forge.privateKey)],
    [
      'with the padding of PS256',
      sign('RSA-SHA256', Buffer.from(input), {
        key: forge.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
      }),
    ],
    ['of another input', sign('RSA-SHA256', Buffer.from('header.other'), forge.privateKey)],
    ['of another key', sign('RSA-SHA256', Buffer.from(input), new TokenFactory('x').privateKey)],
  ]
  for (const [name, signature] of forged) {
    for (const [runtime, use] of Object.entries(runtimes)) {
      it(`that is ${name} is refused by ${runtime} (RS4; CVE-2022-21449)`, async (t) => {
        use(t)
        assert.equal(await check(input, signature), false)
      })
    }
  }

  for (const [runtime, use] of Object.entries(runtimes)) {
    it(`with any one bit changed is refused by ${runtime}`, async (t) => {
      use(t)
      for (let bit = 0; bit < good.length * 8; bit += 37) {
        const changed = Buffer.from(good)
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        assert.equal(await check(input, changed), false)
      }
    })
  }
})

describe('a kid', () => {
  for (const kid of [
    '../../etc/passwd',
    "' OR 1=1 --",
    '%00',
    '{{x}}',
    'http://evil.example',
    'é',
  ]) {
    it(`${kid} is only compared (RS11)`, () => {
      assert.equal(isUsableKid(kid), true)
    })
  }
})
