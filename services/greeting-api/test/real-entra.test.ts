import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import {
  apiApplicationId,
  type Signer,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { type Service, startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'
import { callWith } from './call.ts'
import { makeEntraKeySet } from './entra-key-set.ts'

let entra: Awaited<ReturnType<typeof makeEntraKeySet>>
const fetched: string[] = []

/** Replaces the network: its requests would reach real Entra. */
const fakeFetch = async (url: string) => {
  fetched.push(url)
  return Response.json({ keys: entra.keys })
}

const start = (settings: Record<string, string> = {}): Promise<Service> =>
  startService(
    readSettings({
      TENANT_ID: tenantId,
      API_APPLICATION_ID: apiApplicationId,
      PORT: '0',
      ...settings,
    }),
    pino({ level: 'silent' }),
    { runtime: { fetch: fakeFetch } },
  )

before(async () => {
  entra = await makeEntraKeySet()
})

describe('the greeting API with only TENANT_ID and API_APPLICATION_ID', () => {
  let service: Service
  before(async () => {
    fetched.length = 0
    service = await start()
  })
  after(() => service.stop())

  it('accepts tokens of every real Entra ID signing key, and of no other key', async () => {
    assert.equal(entra.keys.length, 10)
    for (const signer of entra.signers) {
      const answer = await callWith(service.url, '/api/v1/hi', await signer.token())
      assert.equal(answer.body, 'Hi')
    }
    const consumer = await callWith(service.url, '/api/v1/hi', await entra.consumer.token())
    assert.equal(consumer.status, 401)
    assert.deepEqual(fetched, [`https://login.microsoftonline.com/${tenantId}/discovery/keys`])
  })

  const [v2, v1]: [Record<string, unknown>, Record<string, unknown>] = [
    {
      iss: `https://login.microsoftonline.com/${tenantId}/v2.0`,
      aud: apiApplicationId,
      ver: '2.0',
      azp: '6a8b4b39-1111-4222-8333-c0ffee000002',
      appid: undefined,
      idp: undefined,
    },
    {},
  ]
  const status = async (url: string, signer: Signer | undefined, claims: object) =>
    (await callWith(url, '/api/v1/hi', (await signer?.token({ ...claims })) ?? '')).status

  it('accepts no v2.0 token by default', async () => {
    assert.equal(await status(service.url, entra.signers[0], v1), 200)
    assert.equal(await status(service.url, entra.signers[0], v2), 401)
  })

  it('accepts both token versions with TOKEN_VERSIONS=1.0,2.0, but no mixture', async () => {
    fetched.length = 0
    const both = await start({ TOKEN_VERSIONS: '1.0,2.0' })
    const [signer] = entra.signers
    assert.equal(await status(both.url, signer, v1), 200)
    assert.equal(await status(both.url, signer, v2), 200)
    assert.equal(await status(both.url, signer, { ...v2, aud: `api://${apiApplicationId}` }), 401)
    assert.equal(await status(both.url, signer, { ...v1, aud: apiApplicationId }), 401)
    assert.equal(await status(both.url, signer, { ...v2, ver: '1.0' }), 401)
    assert.deepEqual(fetched.sort(), [
      `https://login.microsoftonline.com/${tenantId}/discovery/keys`,
      `https://login.microsoftonline.com/${tenantId}/discovery/v2.0/keys`,
    ])
    await both.stop()
  })

  it('fetches keys from JWKS_URL if it is set', async () => {
    fetched.length = 0
    const elsewhere = await start({ JWKS_URL: 'https://mirror.example/keys' })
    assert.equal(await status(elsewhere.url, entra.signers[0], v1), 200)
    assert.deepEqual(fetched, ['https://mirror.example/keys'])
    await elsewhere.stop()
  })
})
