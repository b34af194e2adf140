import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createPassword,
  type DirectoryChange,
  graphAppId,
  newApplication,
  newAppRoleAssignment,
  newServicePrincipal,
  put,
  type ServicePrincipal,
  serverManagementAppId,
  systemRuntime,
} from '@greeting/directory'
import { decideAccess } from '../../../src/issuance/token-decision.ts'
import { type GraphRole, graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { Refused } from '../../../src/refusals/refusal.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import {
  allGraphRoles,
  contoso,
  fabrikam,
  type GraphClient,
  type Reply,
  sampleGraph,
} from '../sample-graph.ts'

const writer: readonly GraphRole[] = ['Application.ReadWrite.All']
const refusedForRole = { status: 403, body: { error: { code: 'Authorization_RequestDenied' } } }
const { certificate } = await fixtureSigningKey(KeyEncryptionKey.generate(), new Date('2026-01-15'))
const certificates = { keyCredentials: [{ key: certificate }] }

/** An application of a tenant, with service principals and roles of Graph in some tenants. */
async function multiTenant(
  { commit, log, runtime }: Awaited<ReturnType<typeof sampleGraph>>,
  home: string,
  roles: Readonly<Record<string, readonly GraphRole[]>>,
) {
  const application = newApplication({
    id: runtime.newGuid(),
    tenantId: home,
    appId: runtime.newGuid(),
    displayName: 'Everywhere',
    createdDateTime: runtime.now(),
    signInAudience: 'AzureADMultipleOrgs',
  })
  const changes: DirectoryChange[] = [put('application', application)]
  const principals: Record<string, ServicePrincipal> = {}
  for (const [tenantId, values] of Object.entries(roles)) {
    const principal = newServicePrincipal(tenantId, application, runtime)
    const graph = log.directory.servicePrincipalByAppId(tenantId, graphAppId)
    assert.ok(graph)
    principals[tenantId] = principal
    changes.push(put('servicePrincipal', principal))
    for (const value of values) {
      const assignment = newAppRoleAssignment(principal, graph, graphRoles[value].id, runtime)
      changes.push(put('appRoleAssignment', assignment))
    }
  }
  await commit(...changes)
  return { ...application, path: `/applications/${application.id}`, principals }
}

describe('a caller in a tenant that does not own its application (AS32)', () => {
  const waysIn: Readonly<Record<string, (caller: Caller, path: string) => Promise<Reply>>> = {
    'a secret': (caller, path) => caller.post(`${path}/addPassword`, {}),
    'a certificate': (caller, path) => caller.patch(path, certificates),
    'a federated credential': (caller, path) =>
      caller.post(`${path}/federatedIdentityCredentials`, {
        name: 'mine',
        issuer: 'https://mine.example',
        subject: 'me',
        audiences: ['api://AzureADTokenExchange'],
      }),
  }
  type Caller = Pick<GraphClient, 'post' | 'patch'>

  for (const [name, add] of Object.entries(waysIn))
    it(`has only its roles in that tenant, so it cannot add ${name} to a client with other roles`, async () => {
      const sample = await sampleGraph()
      const branch = await sample.clientWith(allGraphRoles, fabrikam)
      const ofContoso = await multiTenant(sample, contoso.id, { [contoso.id]: allGraphRoles })
      const ofFabrikam = await multiTenant(sample, fabrikam.id, {
        [fabrikam.id]: [],
        [contoso.id]: writer,
      })
      assert.partialDeepStrictEqual(await add(branch, ofFabrikam.path), refusedForRole)
      const created = await branch.post('/servicePrincipals', { appId: ofContoso.appId })
      const path = `/servicePrincipals/${created.body.id}`
      assert.equal((await branch.post(`${path}/addPassword`, {})).status, 200)
      const graph = sample.log.directory.servicePrincipalByAppId(fabrikam.id, graphAppId)
      for (const { id: appRoleId } of Object.values(graphRoles)) {
        const assignment = { principalId: created.body.id, resourceId: graph?.id, appRoleId }
        const { status } = await branch.post(`${path}/appRoleAssignments`, assignment)
        assert.equal(status, 201)
      }
      const there = sample.actAs(fabrikam.id, ofContoso.appId)
      assert.partialDeepStrictEqual(await add(there, ofFabrikam.path), refusedForRole)
      const plain = await multiTenant(sample, fabrikam.id, { [fabrikam.id]: writer })
      assert.ok((await add(there, plain.path)).status < 300, 'roles of its tenant are its own')
    })
})

describe('a credential of a service principal in the tenant of its application (AS32)', () => {
  // With it, the application can add credentials to itself. These are good in every tenant.
  const ways: Readonly<
    Record<
      string,
      {
        readonly before?: () => Partial<ServicePrincipal>
        readonly send: (caller: GraphClient, principal: ServicePrincipal) => Promise<Reply>
      }
    >
  > = {
    'is added as a secret': {
      send: (caller, { id }) => caller.post(`/servicePrincipals/${id}/addPassword`, {}),
    },
    'is added as a certificate': {
      send: (caller, { id }) => caller.patch(`/servicePrincipals/${id}`, certificates),
    },
    'is created with a new service principal': {
      before: () => ({ deletedDateTime: new Date('2026-02-01') }),
      send: (caller, { appId }) => caller.post('/servicePrincipals', { appId, ...certificates }),
    },
    'is created with a service principal by PATCH': {
      before: () => ({ deletedDateTime: new Date('2026-02-01') }),
      send: (caller, { appId }) =>
        caller.patch(`/servicePrincipals(appId='${appId}')`, certificates, {
          prefer: 'create-if-missing',
        }),
    },
    'is enabled again with the service principal': {
      before: () => ({ accountEnabled: false, ...withSecret() }),
      send: (caller, { id }) => caller.patch(`/servicePrincipals/${id}`, { accountEnabled: true }),
    },
    'is restored with the service principal': {
      before: () => ({ deletedDateTime: new Date('2026-02-01'), ...withSecret() }),
      send: (caller, { id }) => caller.post(`/directory/deletedItems/${id}/restore`),
    },
  }
  const withSecret = () => ({
    passwordCredentials: [createPassword({}, systemRuntime).credential],
  })
  const everywhere = { [contoso.id]: writer, [fabrikam.id]: allGraphRoles }

  for (const [name, { before, send }] of Object.entries(ways)) {
    it(`requires the application's roles in all tenants when it ${name}`, async () => {
      const sample = await sampleGraph()
      const caller = await sample.clientWith(writer)
      for (const [roles, isAllowed] of [
        [everywhere, false],
        [{ [contoso.id]: writer }, true],
      ] as const) {
        const { principals } = await multiTenant(sample, contoso.id, roles)
        const principal = principals[contoso.id]
        assert.ok(principal)
        await sample.commit(put('servicePrincipal', { ...principal, ...before?.() }))
        const reply = await send(caller, principal)
        if (isAllowed) assert.ok(reply.status < 300, JSON.stringify(reply.body))
        else assert.partialDeepStrictEqual(reply, refusedForRole)
      }
    })
  }

  it('does not affect other tenants, which may add credentials to their service principals', async () => {
    const sample = await sampleGraph()
    const { principals } = await multiTenant(sample, contoso.id, {
      [contoso.id]: allGraphRoles,
      [fabrikam.id]: writer,
    })
    const caller = await sample.clientWith(writer, fabrikam)
    const path = `/servicePrincipals/${principals[fabrikam.id]?.id}/addPassword`
    assert.equal((await caller.post(path, {})).status, 200)
  })

  it('can be added by the application itself', async () => {
    const sample = await sampleGraph()
    const { appId, principals } = await multiTenant(sample, contoso.id, everywhere)
    const self = sample.actAs(contoso.id, appId)
    const path = `/servicePrincipals/${principals[contoso.id]?.id}/addPassword`
    assert.equal((await self.post(path, {})).status, 200)
  })

  it('does not prevent enabling and restoring a service principal without credentials', async () => {
    const sample = await sampleGraph()
    const caller = await sample.clientWith(writer)
    const { principals } = await multiTenant(sample, contoso.id, everywhere)
    const path = `/servicePrincipals/${principals[contoso.id]?.id}`
    for (const accountEnabled of [false, true])
      assert.equal((await caller.patch(path, { accountEnabled })).status, 204)
    assert.equal((await caller.delete(path)).status, 204)
    const restore = `/directory/deletedItems/${principals[contoso.id]?.id}/restore`
    assert.equal((await caller.post(restore)).status, 200)
  })
})

describe('a client that trusts another service principal as its credential (AS32)', () => {
  type Roles = Readonly<Record<string, readonly GraphRole[]>>
  const both: Roles = { [contoso.id]: writer, [fabrikam.id]: writer }

  const rows: readonly {
    readonly what: string
    /** The tenant and the roles of the presenter's application. */
    readonly presenter: readonly [home: string, roles: Roles]
    /** The roles of the client, an application of Contoso. */
    readonly client: Roles
    readonly hasServerRole?: true
    readonly requestedIn?: string
    readonly isIssued: boolean
  }[] = [
    {
      what: 'has the same roles in all tenants',
      presenter: [contoso.id, both],
      client: both,
      isIssued: true,
    },
    {
      what: 'has the same roles, and the token is for another tenant',
      presenter: [contoso.id, both],
      client: both,
      isIssued: true,
      requestedIn: fabrikam.id,
    },
    {
      what: 'lacks a role of the same API',
      presenter: [contoso.id, { [contoso.id]: writer }],
      client: { [contoso.id]: allGraphRoles },
      isIssued: false,
    },
    {
      what: 'lacks a role of the other management API',
      presenter: [contoso.id, { [contoso.id]: writer }],
      client: { [contoso.id]: writer },
      hasServerRole: true,
      isIssued: false,
    },
    {
      what: 'lacks a role in another tenant',
      presenter: [contoso.id, { [contoso.id]: writer }],
      client: both,
      isIssued: false,
    },
    {
      what: 'has the roles in another tenant by an application of that tenant',
      presenter: [fabrikam.id, both],
      client: { [contoso.id]: [], [fabrikam.id]: writer },
      requestedIn: fabrikam.id,
      isIssued: false,
    },
  ]
  for (const { what, presenter, client, hasServerRole, requestedIn, isIssued } of rows)
    it(`gets ${isIssued ? 'a' : 'no'} token for Graph if that service principal ${what}`, async () => {
      const sample = await sampleGraph()
      const { directory } = sample.log
      const { principals, ...application } = await multiTenant(sample, contoso.id, client)
      const trusted = await multiTenant(sample, ...presenter)
      const [principal, at] = [
        principals[requestedIn ?? contoso.id],
        trusted.principals[contoso.id],
      ]
      const management = directory.servicePrincipalByAppId(contoso.id, serverManagementAppId)
      const tenant = directory.tenant(requestedIn ?? contoso.id)
      assert.ok(principal && at && management && tenant)
      if (hasServerRole) {
        const { id } = serverRoles['SigningKey.ReadWrite.All']
        const given = newAppRoleAssignment(principal, management, id, sample.runtime)
        await sample.commit(put('appRoleAssignment', given))
      }
      const authenticated = {
        client: { application, principal },
        ...({ method: 'assertion', credentialId: 'trust', presenter: at } as const),
      }
      const decision = decideAccess(directory, tenant, authenticated, { resource: graphAppId })
      if (isIssued) assert.ok(!(decision instanceof Refused), JSON.stringify(decision))
      else assert.equal(decision instanceof Refused && decision.refusal.reason, 'role_required')
    })
})
