import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { it } from 'node:test'
import { rsaKeyFault } from '@greeting/guard'
import { LabFederation } from '../src/lab-federation.ts'

const generateCertifiedKey = async () => ({
  certificate: Buffer.from('a certificate'),
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})

const keyOf = async (federation: LabFederation) => {
  const response = await federation.through(fetch)(`${federation.issuer}/keys`)
  const { keys } = (await response.json()) as { keys: [JsonWebKey] }
  return createPublicKey({ key: keys[0], format: 'jwk' })
}

for (const [testKeys, fault] of [
  ['accepted', 'test_key'],
  ['refused', undefined],
] as const) {
  it(`the issuer of a server with TEST_KEYS ${testKeys} signs with a suitable key`, async () => {
    const federation = new LabFederation(
      () => new Date(),
      () => ({ testKeys, generateCertifiedKey }),
    )
    assert.equal(rsaKeyFault(await keyOf(federation)), fault)
  })
}

it('the lab federation forwards requests to all other hosts', async () => {
  const passed: string[] = []
  const federation = new LabFederation(
    () => new Date(),
    () => ({ testKeys: 'accepted', generateCertifiedKey }),
  )
  const fetchKeys = federation.through(async (url) => {
    passed.push(url)
    return new Response()
  })
  await fetchKeys('https://issuer.greeting.test.example/keys')
  assert.deepEqual(passed, ['https://issuer.greeting.test.example/keys'])
})
