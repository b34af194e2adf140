import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharedSystem } from './shared-system.ts'

it('a managed identity request is refused without the headers, from a web page and from another machine', async () => {
  const system = await sharedSystem()
  const url = system.managedIdentity?.url
  const resource = `resource=api://${system.api.applicationId}`
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${url}${path}&${resource}`, { headers })).status
  const virtualMachine = '/metadata/identity/oauth2/token?api-version=2018-02-01'
  assert.equal(await statusOf(virtualMachine, { metadata: 'true' }), 200)
  assert.equal(await statusOf(virtualMachine, {}), 400)
  const forwarded = { metadata: 'true', 'x-forwarded-for': '10.0.0.1' }
  assert.equal(await statusOf(virtualMachine, forwarded), 400)
  const appService = '/msi/token?api-version=2019-08-01'
  assert.equal(await statusOf(appService, { 'x-identity-header': 'wrong' }), 401)
})
