import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId, managementAppId } from '../../src/directory/management-api-ids.ts'
import type { GraphRole } from '../../src/graph/graph-roles.ts'
import { graphRoles } from '../../src/graph/graph-roles.ts'
import { managementRoles } from '../../src/graph/management-roles.ts'
import { type GraphClient, sampleGraph } from './sample-graph.ts'

const writer: readonly GraphRole[] = ['Application.ReadWrite.All']
const granter: readonly GraphRole[] = ['AppRoleAssignment.ReadWrite.All', 'Application.Read.All']

async function withAdministrator() {
  const sample = await sampleGraph()
  const directory = await sample.store.read()
  const administrator = [
    ...directory.applicationsOf(directory.tenant('contoso.example')?.id ?? ''),
  ].find(({ displayName }) => displayName === 'Administrator')
  const principalOf = (appId: string) =>
    directory.servicePrincipalByAppId(administrator?.tenantId ?? '', appId)?.id ?? ''
  return {
    ...sample,
    path: `/applications/${administrator?.id}`,
    principalId: principalOf(administrator?.appId ?? ''),
    graphId: principalOf(graphAppId),
    managementId: principalOf(managementAppId),
  }
}

/** In Entra ID these are known ways from one role to all others. */
describe('whoever lacks a management role', () => {
  const credentials: Readonly<
    Record<string, (client: GraphClient, path: string) => Promise<unknown>>
  > = {
    'a secret': (client, path) => client.post(`${path}/addPassword`, {}),
    'a certificate': (client, path) => client.patch(path, { keyCredentials: [] }),
    'a federated credential': (client, path) =>
      client.post(`${path}/federatedIdentityCredentials`, {
        name: 'mine',
        issuer: 'https://mine.example',
        subject: 'me',
        audiences: ['api://AzureADTokenExchange'],
      }),
  }
  for (const [name, add] of Object.entries(credentials))
    it(`makes no way in with ${name} of a client that has it`, async () => {
      const { clientWith, path, store } = await withAdministrator()
      const { revision } = await store.refresh()
      const client = await clientWith(writer)
      assert.partialDeepStrictEqual(await add(client, path), {
        status: 403,
        body: { error: { code: 'Authorization_RequestDenied' } },
      })
      assert.equal((await store.refresh()).revision, revision + 1, 'only the caller is new')
    })

  it('assigns it neither to itself nor to anybody', async () => {
    const { clientWith, graphId, managementId, principalId } = await withAdministrator()
    const client = await clientWith(granter)
    for (const [resourceId, appRoleId] of [
      [graphId, graphRoles['Application.ReadWrite.All'].id],
      [managementId, managementRoles['SigningKey.ReadWrite.All'].id],
    ])
      for (const receiver of [client.principalId, principalId]) {
        const { status, body } = await client.post(
          `/servicePrincipals/${resourceId}/appRoleAssignedTo`,
          { principalId: receiver, resourceId, appRoleId },
        )
        assert.equal(status, 403)
        assert.match(body.error.message, /is handed out only by who has it/)
      }
  })

  it('does not bring a client back that has it, to which a secret was added meanwhile', async () => {
    const { clientWith, path, principalId } = await withAdministrator()
    const client = await clientWith(writer)
    assert.equal((await client.delete(`/servicePrincipals/${principalId}`)).status, 204)
    assert.equal((await client.post(`${path}/addPassword`, {})).status, 200)
    const restored = await client.post(`/directory/deletedItems/${principalId}/restore`)
    assert.equal(restored.status, 403)
  })
})

describe('whoever has a management role', () => {
  it('hands it out', async () => {
    const { clientWith, graphId } = await withAdministrator()
    const client = await clientWith(granter)
    const other = await clientWith([])
    const { status } = await client.post(`/servicePrincipals/${graphId}/appRoleAssignedTo`, {
      principalId: other.principalId,
      resourceId: graphId,
      appRoleId: graphRoles['AppRoleAssignment.ReadWrite.All'].id,
    })
    assert.equal(status, 201)
  })
})
