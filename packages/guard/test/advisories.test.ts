import assert from 'node:assert/strict'
import { constants, createHmac, sign } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createGuard } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from './guard-factory.ts'
import {
  claimsWith,
  type Json,
  keySetOf,
  now,
  optionsWith,
  TokenFactory,
  tenantId,
} from './token-factory.ts'

const forge = new TokenFactory('key-1')
const attacker = new TokenFactory('key-1')
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inputOf = (header: Json) => `${encode(forge.header(header))}.${encode(claimsWith())}`

const ready = async () => {
  const environment = new VirtualRuntime(keySetOf(forge))
  const made = guardIn(environment)
  await made.guard.start()
  return { ...made, environment }
}

describe('a public key as a shared secret (CVE-2015-9235, CVE-2023-48223, CVE-2026-34950)', () => {
  const pem = (type: 'spki' | 'pkcs1') => forge.publicKey.export({ type, format: 'pem' }).toString()
  const secrets: [name: string, secret: string | Buffer][] = [
    ['SPKI PEM', pem('spki')],
    ['SPKI PEM without its last line end', pem('spki').trimEnd()],
    ['PKCS #1 PEM', pem('pkcs1')],
    ['PKCS #1 PEM without its last line end', pem('pkcs1').trimEnd()],
    ['SPKI DER', forge.publicKey.export({ type: 'spki', format: 'der' })],
    ['PKCS #1 DER', forge.publicKey.export({ type: 'pkcs1', format: 'der' })],
    ['JWK (GHSA-g3jj-5cmm-3hxx)', JSON.stringify(forge.jwk)],
    ['key set', keySetOf(forge)],
    ['modulus, as text', String(forge.jwk.n)],
    ['modulus, as bytes', Buffer.from(String(forge.jwk.n), 'base64url')],
    ['nothing (CVE-2026-44351)', ''],
    ['null', 'null'],
  ]
  for (const [name, secret] of secrets) {
    for (const bits of [256, 384, 512]) {
      it(`HS${bits} with ${name} is refused`, async () => {
        const { ask } = await ready()
        for (const alg of [`HS${bits}`, 'RS256']) {
          const input = inputOf({ alg })
          const mac = createHmac(`sha${bits}`, secret).update(input).digest('base64url')
          assert.notEqual(reasonOf(await ask(`${input}.${mac}`)), 'admitted')
        }
      })
    }
  }

  it('is impossible: the guard creates no secret key and no MAC (CVE-2025-65945)', () => {
    const source = join(import.meta.dirname, '../src')
    for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue
      const text = readFileSync(join(source, file), 'utf8')
      assert.doesNotMatch(text, /createSecretKey|createHmac|HMAC|['"](oct|raw)['"]|HS\d\d\d/, file)
    }
  })
})

describe('an algorithm that the header chooses', () => {
  const casings = Array.from({ length: 16 }, (_, bits) =>
    [...'none']
      .map((letter, index) => (bits & (1 << index) ? letter.toUpperCase() : letter))
      .join(''),
  )
  for (const alg of casings) {
    it(`${alg} is refused if the signature is missing (CVE-2026-28802)`, async () => {
      const { ask } = await ready()
      assert.equal(reasonOf(await ask(`${inputOf({ alg })}.`)), 'algorithm_not_rs256')
    })
  }

  it('RS256 is refused if the signature is missing', async () => {
    const { ask } = await ready()
    assert.equal(reasonOf(await ask(`${inputOf({})}.`)), 'signature_invalid')
  })

  it('is refused even if the key names no algorithm (CVE-2026-22817, CVE-2026-22818)', async () => {
    const { ask } = await ready()
    assert.equal('alg' in forge.jwk, false)
    const input = inputOf({ alg: 'PS256' })
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const signature = sign('RSA-SHA256', Buffer.from(input), { key: forge.privateKey, padding })
    const token = `${input}.${signature.toString('base64url')}`
    assert.equal(reasonOf(await ask(token)), 'algorithm_not_rs256')
  })
})

describe('a key in the token (CVE-2018-0114, CVE-2026-27962)', () => {
  it('is ignored and causes no request (RS11)', async () => {
    let visits = 0
    const canary = createServer((_, response) => {
      visits += 1
      response.end(keySetOf(attacker))
    }).listen(0, '127.0.0.1')
    await once(canary, 'listening')
    const { port } = canary.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/keys`
    const { ask, environment } = await ready()
    await environment.pass(60)
    for (const header of [
      { jku: url },
      { x5u: url },
      { jku: url, kid: 'new' },
      { kid: url },
      { jwk: attacker.jwk },
      { x5c: ['MIIC'], kid: undefined },
      { jwk: { ...attacker.jwk, kid: 'mine' }, kid: 'mine' },
    ]) {
      assert.notEqual(reasonOf(await ask(attacker.token({}, header))), 'admitted')
    }
    canary.close()
    assert.equal(visits, 0)
    assert.ok(environment.fetched.every((fetched) => !fetched.url.includes(`${port}`)))
  })
})

describe('a kid that is an inherited property name (TC4)', () => {
  for (const kid of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    it(`${kid} identifies no key`, async () => {
      const { ask } = await ready()
      assert.equal(reasonOf(await ask(attacker.token({}, { kid }))), 'key_unknown')
    })
  }
})

describe('an encrypted token (CVE-2026-29000, CVE-2022-36083, CVE-2023-52428)', () => {
  const unsigned = `${encode({ alg: 'none' })}.${encode(claimsWith())}.`
  const headers: Json[] = [
    { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' },
    { alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', p2c: 2 ** 31, p2s: 'AAAA' },
    { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
  ]
  for (const header of headers) {
    it(`with ${header.alg} is refused immediately (RS4)`, async () => {
      const { ask } = await ready()
      const before = process.threadCpuUsage()
      const parts = [
        encode(header),
        'AAAA',
        'AAAA',
        Buffer.from(unsigned).toString('base64url'),
        'AAAA',
      ]
      assert.equal(reasonOf(await ask(parts.join('.'))), 'token_malformed')
      const three = `${encode({ ...forge.header(), ...header })}.${encode(claimsWith())}.AAAA`
      assert.equal(reasonOf(await ask(three)), 'algorithm_not_rs256')
      const { user, system } = process.threadCpuUsage(before)
      assert.ok(user + system < 100_000, `${user + system} microseconds`)
    })
  }
})

describe('the same kid at two issuers (Storm-0558, CVE-2025-55241, CVE-2026-23552)', () => {
  const other = 'ffffffff-0000-4000-8000-c0ffee000009'
  const [ours] = optionsWith().issuers
  assert.ok(ours)
  const theirs = {
    ...ours,
    tenantId: other,
    issuer: `https://sts.windows.net/${other}/`,
    keySetUrl: `https://login.microsoftonline.com/${other}/discovery/keys`,
  }
  const environment = new VirtualRuntime(
    (url) => new Response(keySetOf(url.includes(other) ? attacker : forge)),
  )
  const { ask } = guardIn(environment, { issuers: [ours, theirs] })
  const theirClaims = { iss: theirs.issuer, tid: other }

  it("identifies two keys, each of which verifies only its own issuer's tokens (RS8)", async () => {
    assert.equal(reasonOf(await ask(forge.token())), 'admitted')
    assert.equal(reasonOf(await ask(attacker.token(theirClaims))), 'admitted')
    assert.equal(reasonOf(await ask(attacker.token())), 'signature_invalid')
    assert.equal(reasonOf(await ask(forge.token(theirClaims))), 'signature_invalid')
    assert.equal(
      reasonOf(await ask(attacker.token({ ...theirClaims, tid: tenantId }))),
      'tenant_not_trusted',
    )
  })
})

describe('a decision', () => {
  it('is the same a thousand times (CVE-2026-35040)', async () => {
    const { ask } = await ready()
    const tokens = [forge.token(), attacker.token(), forge.token({ aud: 'x' }), 'x']
    const first = await Promise.all(tokens.map(async (token) => reasonOf(await ask(token))))
    for (let round = 0; round < 1000; round += 1) {
      for (const [index, token] of tokens.entries()) {
        assert.equal(reasonOf(await ask(token)), first[index])
      }
    }
  })

  it('is made for each of many tokens that wait for the same fetch (CVE-2025-64527)', async () => {
    const environment = new VirtualRuntime(keySetOf(forge))
    const guard = createGuard(optionsWith(), environment)
    const decide = (authorization: string | string[]) =>
      guard.decide({ authorization, target: '/' }, 'CallHiApiRole')
    const waiting = [
      decide(`Bearer ${forge.token()}`),
      decide([`Bearer ${forge.token()}`, `Bearer ${attacker.token()}`]),
      decide(`Bearer ${attacker.token()}`),
      decide(`Bearer ${forge.token({ exp: now - 3600 })}`),
      decide(`Bearer ${forge.token()}`),
    ]
    const reasons = (await Promise.all(waiting)).map(reasonOf)
    assert.deepEqual(reasons, [
      'admitted',
      'credentials_repeated',
      'signature_invalid',
      'expired',
      'admitted',
    ])
    assert.equal(environment.fetched.length, 1)
  })
})

describe('a valid token with a single change', () => {
  it('is refused with any bit flipped, any length or any additional byte (BI7)', async () => {
    const { ask, guard } = await ready()
    const token = Buffer.from(forge.token())
    const refused = async (bytes: Buffer) => {
      const text = bytes.toString('latin1')
      assert.notEqual(reasonOf(await ask(text)), 'admitted', text)
    }
    for (let bit = 0; bit < token.length * 8; bit += 1) {
      const changed = Buffer.from(token)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      await refused(changed)
    }
    for (let length = 0; length < token.length; length += 1)
      await refused(token.subarray(0, length))
    for (let byte = 0; byte < 256; byte += 1) {
      for (const place of [0, 7, 40, 400, token.length - 1, token.length]) {
        // A space before the token is no part of it (RFC 9110 section 11.4).
        if (place === 0 && byte === 0x20) continue
        const more = Buffer.from([byte])
        await refused(Buffer.concat([token.subarray(0, place), more, token.subarray(place)]))
      }
    }
    assert.equal(guard.cachedTokens(), 0)
    assert.equal(reasonOf(await ask(token.toString())), 'admitted')
  })
})
