import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { KeyCredential } from '@greeting/directory'
import {
  certificateOf,
  storedCredential,
  unsafeKeys,
} from '../../../../test/fixtures/directory/unsafe-certificates.ts'
import { asProof, v2Endpoint } from './client-certificate.ts'
import { changeClient } from './client-change.ts'
import { clientId, testService } from './test-service.ts'

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A forged assertion: with the exponent 1, the padded digest is its own signature. */
function unsignedAssertion({ sha256Thumbprint }: KeyCredential, modulusBytes: number): string {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', 'x5t#S256': sha256Thumbprint }
  const claims = {
    aud: v2Endpoint,
    iss: clientId,
    sub: clientId,
    jti: 'x',
    nbf: now,
    exp: now + 60,
  }
  const input = `${encoded(header)}.${encoded(claims)}`
  // RFC 8017 section 9.2, EMSA-PKCS1-v1_5 with SHA-256.
  const digestInfo = Buffer.concat([
    Buffer.from('3031300d060960864801650304020105000420', 'hex'),
    createHash('sha256').update(input).digest(),
  ])
  const padding = Buffer.alloc(modulusBytes - digestInfo.length - 3, 0xff)
  const signature = Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), digestInfo])
  return `${input}.${signature.toString('base64url')}`
}

describe('a client certificate that was stored before its key was checked (AS36)', () => {
  for (const [what, key] of Object.entries(unsafeKeys)) {
    it(`authenticates no client with a key ${what}`, async () => {
      const credential = storedCredential(await certificateOf(key))
      const service = await testService()
      await changeClient(service, { keyCredentials: [credential] })
      const modulusBytes = Math.ceil(key.modulus.toString(2).length / 8)
      const assertion = unsignedAssertion(credential, modulusBytes)
      const response = await service.token(service.form(asProof(assertion)))
      const body = await response.json()
      assert.equal(response.status, 401, JSON.stringify(body))
      assert.deepEqual(body.error_codes, [700027])
      assert.equal(service.audit.at(-1)?.reason, 'assertion_key_unsafe')
    })
  }
})
