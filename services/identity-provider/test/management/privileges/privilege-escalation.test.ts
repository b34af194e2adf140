import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId, newAppRoleAssignment, put, serverManagementAppId } from '@greeting/directory'
import { servicePrincipal } from '../../../../../test/fixtures/directory/sample.ts'
import { type GraphRole, graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import {
  allGraphRoles,
  contoso,
  fabrikam,
  type GraphClient,
  type Reply,
  sampleGraph,
  sampleGraphOver,
} from '../sample-graph.ts'

const writer: readonly GraphRole[] = ['Application.ReadWrite.All']
const granter: readonly GraphRole[] = ['AppRoleAssignment.ReadWrite.All', 'Application.Read.All']

async function withAdministrator() {
  const sample = await sampleGraph()
  const directory = sample.log.directory
  const administrator = [
    ...directory.applicationsOf(directory.tenant('contoso.example')?.id ?? ''),
  ].find(({ displayName }) => displayName === 'Administrator')
  assert.ok(administrator)
  const principalOf = (appId: string) =>
    directory.servicePrincipalByAppId(administrator.tenantId, appId)?.id ?? ''
  const principalId = principalOf(administrator.appId)
  return {
    ...sample,
    administrator,
    path: `/applications/${administrator.id}`,
    principalId,
    principalPath: `/servicePrincipals/${principalId}`,
    graphId: principalOf(graphAppId),
    managementId: principalOf(serverManagementAppId),
  }
}

type Sample = Awaited<ReturnType<typeof withAdministrator>>
type Change = (client: GraphClient, sample: Sample) => Promise<Reply>

const federated = {
  name: 'mine',
  issuer: 'https://mine.example',
  subject: 'me',
  audiences: ['api://AzureADTokenExchange'],
}

const certificate = async () =>
  (await fixtureSigningKey(KeyEncryptionKey.generate(), new Date('2026-01-15'))).certificate

const waysIn: Readonly<Record<string, Change>> = {
  'adds a secret': (client, { path }) => client.post(`${path}/addPassword`, {}),
  'adds a certificate': async (client, { path }) =>
    client.patch(path, { keyCredentials: [{ key: await certificate() }] }),
  'adds a federated credential': (client, { path }) =>
    client.post(`${path}/federatedIdentityCredentials`, federated),
}

/** Every other way to change a client. */
const changes: Readonly<Record<string, Change>> = {
  ...waysIn,
  'removes its secret': (client, { administrator, path }) =>
    client.post(`${path}/removePassword`, { keyId: administrator.passwordCredentials[0]?.keyId }),
  'renames it': (client, { path }) => client.patch(path, { displayName: 'Other' }),
  'makes it a public client': (client, { path }) =>
    client.patch(path, { isFallbackPublicClient: true }),
  'forbids its secrets': (client, { path }) =>
    client.patch(path, { passwordAuthenticationAllowed: false }),
  'shares it with other tenants': (client, { path }) =>
    client.patch(path, { signInAudience: 'AzureADMultipleOrgs' }),
  'deletes it': (client, { path }) => client.delete(path),
  'disables it': (client, { principalPath }) =>
    client.patch(principalPath, { accountEnabled: false }),
  'adds a certificate to its service principal': async (client, { principalPath }) =>
    client.patch(principalPath, { keyCredentials: [{ key: await certificate() }] }),
  'deletes its service principal': (client, { principalPath }) => client.delete(principalPath),
}

const refusedForRole = { status: 403, body: { error: { code: 'Authorization_RequestDenied' } } }

describe('a caller that lacks a management role (AS32)', () => {
  for (const [name, change] of Object.entries(changes))
    it(`cannot change a client with that role: it ${name}`, async () => {
      const sample = await withAdministrator()
      const client = await sample.clientWith(writer)
      const { revision } = sample.log.directory
      const reply = await change(client, sample)
      assert.partialDeepStrictEqual(reply, refusedForRole)
      assert.match(reply.body.error.message, /only a caller that has the role '.+' can assign it/)
      assert.equal(sample.log.directory.revision, revision)
      assert.equal(sample.refusals.at(-1)?.reason, 'role_not_owned', 'the audit log has the reason')
    })

  it('cannot assign that role to itself or to another client', async () => {
    const { clientWith, graphId, managementId } = await withAdministrator()
    const client = await clientWith(granter)
    const other = await clientWith([])
    for (const [resourceId, appRoleId] of [
      [graphId, graphRoles['Application.ReadWrite.All'].id],
      [managementId, serverRoles['SigningKey.ReadWrite.All'].id],
    ])
      for (const principalId of [client.principalId, other.principalId]) {
        const reply = await client.post(`/servicePrincipals/${resourceId}/appRoleAssignedTo`, {
          principalId,
          resourceId,
          appRoleId,
        })
        assert.partialDeepStrictEqual(reply, refusedForRole)
        assert.match(reply.body.error.message, /only a caller that has the role '.+' can assign it/)
      }
  })

  it('cannot remove an assignment of that role', async () => {
    const { clientWith, log, principalId, principalPath } = await withAdministrator()
    const client = await clientWith(granter)
    for (const { appRoleId, id } of [...log.directory.assignmentsOf(principalId)]) {
      const { status } = await client.delete(`${principalPath}/appRoleAssignments/${id}`)
      const isOwn = appRoleId === graphRoles['AppRoleAssignment.ReadWrite.All'].id
      if (!isOwn && appRoleId !== graphRoles['Application.Read.All'].id) assert.equal(status, 403)
    }
  })

  const absences: Readonly<Record<string, Change>> = {
    'was deleted': (admin, { principalPath }) => admin.delete(principalPath),
    'was deleted with its restored application': async (admin, { administrator, path }) => {
      await admin.delete(path)
      return admin.post(`/directory/deletedItems/${administrator.id}/restore`)
    },
  }
  for (const [absence, remove] of Object.entries(absences))
    for (const [name, add] of Object.entries(waysIn))
      it(`${name} to no client whose service principal ${absence}`, async () => {
        const sample = await withAdministrator()
        const admin = await sample.anotherAdministrator()
        const client = await sample.clientWith(writer)
        const { status } = await remove(admin, sample)
        assert.ok(status < 300)
        assert.partialDeepStrictEqual(await add(client, sample), refusedForRole)
        const restore = `/directory/deletedItems/${sample.principalId}/restore`
        assert.equal((await client.post(restore)).status, 403)
        assert.equal((await admin.post(restore)).status, 200)
      })

  const returns: Readonly<Record<string, readonly [Change, Change]>> = {
    'that was disabled': [
      (admin, { principalPath }) => admin.patch(principalPath, { accountEnabled: false }),
      (client, { principalPath }) => client.patch(principalPath, { accountEnabled: true }),
    ],
    'that was made a public client': [
      (admin, { path }) => admin.patch(path, { isFallbackPublicClient: true }),
      (client, { path }) => client.patch(path, { isFallbackPublicClient: false }),
    ],
    'whose secrets were forbidden': [
      (admin, { path }) => admin.patch(path, { passwordAuthenticationAllowed: false }),
      (client, { path }) => client.patch(path, { passwordAuthenticationAllowed: true }),
    ],
    'whose application was deleted': [
      (admin, { path }) => admin.delete(path),
      (client, { administrator }) =>
        client.post(`/directory/deletedItems/${administrator.id}/restore`),
    ],
    'whose service principal was deleted': [
      (admin, { principalPath }) => admin.delete(principalPath),
      (client, { principalId }) => client.post(`/directory/deletedItems/${principalId}/restore`),
    ],
  }
  for (const [name, [lose, regain]] of Object.entries(returns))
    it(`cannot restore a client ${name}`, async () => {
      const sample = await withAdministrator()
      const client = await sample.clientWith(writer)
      assert.equal((await lose(await sample.anotherAdministrator(), sample)).status, 204)
      assert.partialDeepStrictEqual(await regain(client, sample), refusedForRole)
    })

  it('cannot add a credential to a client with a role that is no longer declared', async () => {
    const sample = await withAdministrator()
    const graph = sample.log.directory.applicationByAppId(graphAppId)
    const client = await sample.clientWith(writer)
    const kept = graphRoles['Application.ReadWrite.All'].id
    const management = sample.log.directory.applicationByAppId(serverManagementAppId)
    assert.ok(graph && management)
    await sample.commit(
      put('application', { ...graph, appRoles: graph.appRoles.filter(({ id }) => id === kept) }),
      put('application', { ...management, appRoles: [] }),
    )
    for (const add of Object.values(waysIn))
      assert.partialDeepStrictEqual(await add(client, sample), refusedForRole)
  })
})

describe('an application that has management roles in another tenant (AS32)', () => {
  async function makeForeignRoles() {
    const sample = await withAdministrator()
    const owner = await sample.clientWith(allGraphRoles)
    const { body: application } = await owner.post('/applications', {
      displayName: 'Everywhere',
      signInAudience: 'AzureADMultipleOrgs',
    })
    const secret = await owner.post(`/applications/${application.id}/addPassword`, {})
    const outsider = await sample.clientWith(allGraphRoles, fabrikam)
    const { body: principal } = await outsider.post('/servicePrincipals', {
      appId: application.appId,
    })
    const graphId = sample.log.directory.servicePrincipalByAppId(fabrikam.id, graphAppId)?.id
    for (const { id: appRoleId } of Object.values(graphRoles)) {
      const assignment = { principalId: principal.id, resourceId: graphId, appRoleId }
      const path = `/servicePrincipals/${graphId}/appRoleAssignedTo`
      assert.equal((await outsider.post(path, assignment)).status, 201)
    }
    const saved = sample.log.save()
    return { application, keyId: secret.body.keyId, owner, principal, sample, saved, outsider }
  }

  let made: ReturnType<typeof makeForeignRoles> | undefined

  /** A multitenant application of Contoso with the roles of Graph at Fabrikam: a copy of the one made first. */
  async function withForeignRoles() {
    made ??= makeForeignRoles()
    const first = await made
    const sample = { ...first.sample, ...sampleGraphOver({}, first.saved) }
    const [owner, outsider] = [
      { ...first.owner, ...sample.actAs(contoso.id, first.owner.appId) },
      { ...first.outsider, ...sample.actAs(fabrikam.id, first.outsider.appId) },
    ]
    const own = { ...sample, path: `/applications/${first.application.id}` }
    return { ...first, owner, outsider, own, sample }
  }

  for (const [name, add] of Object.entries(waysIn)) {
    it(`gives its owner no access to that tenant, even if the owner ${name}`, async () => {
      const { own, owner, outsider, principal } = await withForeignRoles()
      assert.partialDeepStrictEqual(await add(owner, own), refusedForRole)
      assert.equal((await outsider.delete(`/servicePrincipals/${principal.id}`)).status, 204)
      assert.partialDeepStrictEqual(await add(owner, own), refusedForRole)
      const item = `/directory/deletedItems/${principal.id}`
      assert.equal((await outsider.delete(item)).status, 204)
      assert.ok(
        (await add(owner, own)).status < 300,
        'an application without the roles can be changed',
      )
    })

    it(`can renew its credentials: it ${name}`, async () => {
      const { application, own, sample, outsider, principal } = await withForeignRoles()
      const tenantId = own.administrator.tenantId
      const self = servicePrincipal({
        id: crypto.randomUUID(),
        tenantId,
        appId: application.appId,
      })
      const directory = sample.log.directory
      const graph = directory.servicePrincipalByAppId(tenantId, graphAppId)
      assert.ok(graph)
      const role = graphRoles['Application.ReadWrite.All'].id
      await sample.commit(
        put('servicePrincipal', self),
        put('appRoleAssignment', newAppRoleAssignment(self, graph, role, sample.runtime)),
      )
      const client = { appId: '', principalId: '', ...sample.actAs(tenantId, application.appId) }
      await outsider.patch(`/servicePrincipals/${principal.id}`, { accountEnabled: false })
      assert.ok((await add(client, own)).status < 300)
    })
  }

  const reopenings: Readonly<Record<string, readonly [Change, Change]>> = {
    'a public client': [
      (owner, { path }) => owner.patch(path, { isFallbackPublicClient: true }),
      (owner, { path }) => owner.patch(path, { isFallbackPublicClient: false }),
    ],
    'without secrets': [
      (owner, { path }) => owner.patch(path, { passwordAuthenticationAllowed: false }),
      (owner, { path }) => owner.patch(path, { passwordAuthenticationAllowed: true }),
    ],
    deleted: [
      (owner, { path }) => owner.delete(path),
      (owner, { path }) =>
        owner.post(`${path.replace('/applications', '/directory/deletedItems')}/restore`),
    ],
  }
  for (const [name, [shut, reopen]] of Object.entries(reopenings))
    it(`gets no credentials from its owner after it is ${name}`, async () => {
      const { own, owner } = await withForeignRoles()
      assert.equal((await shut(owner, own)).status, 204)
      assert.partialDeepStrictEqual(await reopen(owner, own), refusedForRole)
    })

  const losses: Readonly<Record<string, object>> = {
    deleted: { deletedDateTime: new Date('2026-02-01') },
    disabled: { accountEnabled: false },
  }
  for (const [name, loss] of Object.entries(losses))
    it(`gets credentials from a caller with the same roles there, unless that caller is ${name} there`, async () => {
      const { own, owner, sample } = await withForeignRoles()
      const directory = sample.log.directory
      const graph = directory.servicePrincipalByAppId(fabrikam.id, graphAppId)
      assert.ok(graph)
      const there = servicePrincipal({
        id: crypto.randomUUID(),
        tenantId: fabrikam.id,
        appId: owner.appId,
      })
      const roles = Object.values(graphRoles).map(({ id }) =>
        newAppRoleAssignment(there, graph, id, own.runtime),
      )
      await sample.commit(
        put('servicePrincipal', there),
        ...roles.map((role) => put('appRoleAssignment', role)),
      )
      assert.equal((await owner.post(`${own.path}/addPassword`, {})).status, 200)
      await sample.commit(put('servicePrincipal', { ...there, ...loss }))
      const refused = await owner.post(`${own.path}/addPassword`, {})
      assert.partialDeepStrictEqual(refused, refusedForRole)
    })

  it('can be disabled by its owner', async () => {
    const { keyId, own, owner } = await withForeignRoles()
    assert.equal((await owner.post(`${own.path}/removePassword`, { keyId })).status, 204)
    assert.equal((await owner.patch(own.path, { isFallbackPublicClient: true })).status, 204)
    assert.equal((await owner.delete(own.path)).status, 204)
  })
})

describe('a caller that has the management roles of a client', () => {
  it('can change the client, and assign and remove the roles', async () => {
    const sample = await withAdministrator()
    const admin = await sample.anotherAdministrator()
    const other = await sample.clientWith([])
    const resourceId = sample.managementId
    const path = `/servicePrincipals/${resourceId}/appRoleAssignedTo`
    const { status, body } = await admin.post(path, {
      principalId: other.principalId,
      resourceId,
      appRoleId: serverRoles['SigningKey.ReadWrite.All'].id,
    })
    assert.equal(status, 201)
    assert.equal((await admin.delete(`${path}/${body.id}`)).status, 204)
    for (const [name, change] of Object.entries(changes)) {
      const fresh = await withAdministrator()
      const reply = await change(await fresh.anotherAdministrator(), fresh)
      assert.ok(reply.status < 300, `${name}: ${reply.status}`)
    }
  })
})
