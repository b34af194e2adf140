import assert from 'node:assert/strict'
import { parentPort } from 'node:worker_threads'
import { tenantProperties } from '@greeting/directory'
import { text } from '@greeting/directory/forms'

// The modules of the server read the table when they are loaded.
Object.assign(tenantProperties, { regionCode: { inert: null, body: text(8).nullable() } })
const { contoso } = await import('../sample-graph.ts')
const { allManagementRoles, sampleManagement } = await import('./sample-management.ts')

const { clientWith, managerWith } = await sampleManagement()
const manager = await managerWith(allManagementRoles)
const caller = await clientWith(['Application.Read.All'])
const shown = async () => (await caller.get(`/organization/${contoso.id}`)).body.regionCode
const write = async (regionCode: unknown) =>
  (await manager.patch(`/tenants/${contoso.id}`, { regionCode })).status

const values: unknown[] = [await shown()]
for (const value of ['CH-ZH', null, 'CH-BE']) {
  assert.equal(await write(value), 204)
  values.push(await shown())
}
const created = await manager.post('/tenants', { displayName: 'New', regionCode: 'FR' })
parentPort?.postMessage({
  values,
  refused: await write('longer than 8'),
  created: [created.status, created.body.regionCode],
  listed: (await manager.get(`/tenants/${contoso.id}`)).body.regionCode,
  changedOther: (await manager.patch(`/tenants/${contoso.id}`, { isEnabled: true })).status,
  kept: await shown(),
})
