import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { azurePrincipals } from '@greeting/directory'
import { decodeJwt } from 'jose'
import { changeApi } from './client-change.ts'
import { apiId, type TestService, tenantId, testService } from './test-service.ts'

let service: TestService
before(async () => {
  service = await testService()
  await changeApi(service, { identifierUris: [`api://Orders-API/${apiId}`] })
})

/** The audience of a token for a name, or the AADSTS code of the refusal. */
async function audienceOf(name: string, endpoint: 'v1' | 'v2'): Promise<unknown> {
  const form =
    endpoint === 'v2'
      ? service.form({ scope: `${name}/.default` })
      : service.form({ scope: '', resource: name })
  const path = `/${tenantId}/oauth2/${endpoint === 'v2' ? 'v2.0/' : ''}token`
  const body = await (await service.token(form, { path })).json()
  return body.access_token ? decodeJwt(body.access_token).aud : body.error_codes[0]
}

const names = [
  'https://storage.azure.com',
  'https://storage.azure.com/',
  'https://STORAGE.azure.com',
  'https://orders.blob.core.windows.net',
  'https://orders.queue.core.windows.net',
  'https://orders.dfs.core.windows.net',
  'e406a681-f3d4-42a8-90b6-c2b029497af1',
  'https://vault.azure.net',
  'https://azconfig.io',
  'https://orders.azconfig.io',
  'https://appconfig.azure.com',
  'https://servicebus.azure.net/',
  'https://eventhubs.azure.net/',
  'https://cosmos.azure.com',
  'https://orders.documents.azure.com',
  'https://database.windows.net/',
  'https://ossrdbms-aad.database.windows.net',
  'https://eventgrid.azure.net',
  'https://monitor.azure.com/',
  'https://containerregistry.azure.net',
  '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d',
  'https://azuredatabricks.net',
  'https://sql.azuresynapse.net/',
  'https://orders.servicebus.windows.net',
  'https://kusto.aria.microsoft.com',
  'https://kusto.kusto.windows.net',
  'https://orders.westeurope.kusto.windows.net',
]

describe('the Azure APIs, in every tenant (entra E354)', () => {
  for (const name of names)
    for (const endpoint of ['v2', 'v1'] as const)
      it(`accept a request for ${name} at ${endpoint}, and aud is that name`, async () => {
        assert.equal(await audienceOf(name, endpoint), name)
      })

  for (const name of [
    'https://blob.core.windows.net',
    'https://.blob.core.windows.net',
    'https://orders.blob.core.windows.net.evil.test',
    'https://orders.blob.core.windows.net/container',
    'https://a@orders.blob.core.windows.net',
    'http://orders.blob.core.windows.net',
    'https://orders.vault.azure.net',
    'https://servicebus.windows.net',
    'https://api.kusto.io',
    'https://storage.azure.com//',
  ])
    it(`refuse ${name}`, async () => assert.equal(await audienceOf(name, 'v2'), 500011))

  it('receive tokens of version 1.0 without roles', async () => {
    const answer = await service.token(service.form({ scope: `${names[0]}/.default` }))
    const claims = decodeJwt((await answer.json()).access_token)
    assert.deepEqual([claims.ver, claims.roles], ['1.0', undefined])
  })

  it('have a different ID in each tenant', () => {
    const all = [tenantId, apiId].flatMap(azurePrincipals).map(({ id }) => id)
    assert.equal(new Set(all).size, all.length)
    for (const id of all)
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
    assert.deepEqual(azurePrincipals(tenantId), azurePrincipals(tenantId))
  })

  it('give up their name if an API of the tenant registers it', async () => {
    const own = await testService()
    await changeApi(own, { identifierUris: ['https://storage.azure.com'] })
    for (const slash of ['', '/']) {
      const scope = `https://storage.azure.com${slash}/.default`
      const { access_token: token } = await (await own.token(own.form({ scope }))).json()
      assert.deepEqual(decodeJwt<{ roles: string[] }>(token).roles, [
        'CallHiApiRole',
        'CallHelloApiRole',
      ])
    }
  })
})

describe('a name in another case (entra E355)', () => {
  for (const name of [
    `api://orders-api/${apiId}`,
    `api://ORDERS-API/${apiId.toUpperCase()}`,
    `API://Orders-API/${apiId}`,
    `api://orders-api/${apiId}/`,
  ])
    for (const endpoint of ['v2', 'v1'] as const)
      it(`identifies ${name} at ${endpoint}, and aud keeps that case`, async () =>
        assert.equal(await audienceOf(name, endpoint), name))

  it('does not affect the aud of an application ID, which stays in lower case', async () =>
    assert.equal(await audienceOf(apiId.toUpperCase(), 'v2'), apiId))
})
