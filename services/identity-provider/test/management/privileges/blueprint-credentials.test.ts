import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId, newAgentIdentity, newAppRoleAssignment, put } from '@greeting/directory'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import { type GraphClient, type Reply, sampleGraph } from '../sample-graph.ts'

const federated = {
  name: 'mine',
  issuer: 'https://mine.example',
  subject: 'me',
  audiences: ['api://AzureADTokenExchange'],
}
const keys = await fixtureSigningKey(KeyEncryptionKey.generate(), new Date('2026-01-15'))

const waysIn: Readonly<Record<string, (client: GraphClient, path: string) => Promise<Reply>>> = {
  'a secret': (client, path) => client.post(`${path}/addPassword`, {}),
  'a certificate': (client, path) =>
    client.patch(path, { keyCredentials: [{ key: keys.certificate }] }),
  'a federated credential': (client, path) =>
    client.post(`${path}/federatedIdentityCredentials`, federated),
}

describe('the credentials of a blueprint (AS32)', () => {
  for (const [what, add] of Object.entries(waysIn))
    it(`authenticate its agents, so ${what} requires the management roles of the agents`, async () => {
      const sample = await sampleGraph()
      const client = await sample.clientWith(['Application.ReadWrite.All'])
      const { body } = await client.post('/applications', { displayName: 'Blueprint' })
      const directory = await wholeDirectory(sample.store)
      const application = directory.application(body.id)
      assert.ok(application)
      const graph = directory.servicePrincipalByAppId(application.tenantId, graphAppId)
      assert.ok(graph)
      const given = { displayName: 'Agent', sponsorIds: [], createdByAppId: null }
      const agent = newAgentIdentity(
        application.tenantId,
        { ...given, agentIdentityBlueprintId: application.appId },
        sample.runtime,
      )
      const blueprint = { sponsorIds: [], inheritablePermissions: [] }
      const { id } = graphRoles['Application.Read.All']
      await sample.commit(
        put('application', { ...application, blueprint }),
        put('servicePrincipal', agent),
        put('appRoleAssignment', newAppRoleAssignment(agent, graph, id, sample.runtime)),
      )
      const reply = await add(client, `/applications/${application.id}`)
      assert.equal(reply.status, 403)
      assert.equal(reply.body.error.code, 'Authorization_RequestDenied')
    })
})
