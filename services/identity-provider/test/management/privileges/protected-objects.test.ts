import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Application,
  builtInApiAppIds,
  graphAppId,
  ownerTenantId,
  put,
  serverManagementAppId,
} from '@greeting/directory'
import { tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { planBootstrap } from '../../../src/management/bootstrap/bootstrap-plan.ts'
import { apisOfEveryTenant } from '../../../src/management/privileges/built-in-apis.ts'
import { role } from '../graph/applications/sample-api.ts'
import {
  allGraphRoles,
  contoso,
  type GraphClient,
  type Reply,
  sampleGraph,
  sampleGraphOver,
} from '../sample-graph.ts'

let made: ReturnType<typeof makeOwnerTenant> | undefined

/** A directory with a tenant object for the owner of the management APIs. No API can create it. */
async function withOwnerTenant() {
  made ??= makeOwnerTenant()
  const { owner, saved } = await made
  const sample = sampleGraphOver({}, saved)
  return { ...sample, owner: { ...owner, ...sample.actAs(ownerTenantId, owner.appId) } }
}

async function makeOwnerTenant() {
  const sample = await sampleGraph()
  await sample.commit(put('tenant', tenant({ id: ownerTenantId, domains: [] })))
  const whole = sample.log.directory
  const { changes } = planBootstrap(
    whole,
    { firstTenant: contoso, survey: whole.surveyTenants([...apisOfEveryTenant]) },
    sample.runtime,
  )
  await sample.commit(...changes)
  const owner = await sample.clientWith(allGraphRoles, { ...contoso, id: ownerTenantId })
  return { owner, saved: sample.log.save() }
}

type Write = (client: GraphClient, application: Application) => Promise<Reply>
const pathOf = ({ id }: Application) => `/applications/${id}`
const principalPath = `/servicePrincipals(appId='${graphAppId}')`

const writes: Readonly<Record<string, Write>> = {
  'its name is changed': (client, one) => client.patch(pathOf(one), { displayName: 'Mine' }),
  'its roles are disabled': (client, one) =>
    client.patch(pathOf(one), {
      appRoles: [...one.appRoles, role()].map((role) => ({ ...role, isEnabled: false })),
    }),
  'its secrets are allowed': (client, one) =>
    client.patch(pathOf(one), { passwordAuthenticationAllowed: true }),
  'a secret is added': (client, one) => client.post(`${pathOf(one)}/addPassword`, {}),
  'a federated credential is added': (client, one) =>
    client.post(`${pathOf(one)}/federatedIdentityCredentials`, {
      name: 'mine',
      issuer: 'https://mine.example',
      subject: 'me',
      audiences: ['api://AzureADTokenExchange'],
    }),
  'it is deleted': (client, one) => client.delete(pathOf(one)),
  'its service principal is disabled': (client) =>
    client.patch(principalPath, { accountEnabled: false }),
  'its service principal requires an assignment': (client) =>
    client.patch(principalPath, { appRoleAssignmentRequired: true }),
  'its service principal is deleted': (client) => client.delete(principalPath),
}

const terraformPrincipal = {
  accountEnabled: true,
  alternativeNames: [],
  appRoleAssignmentRequired: false,
  description: null,
  loginUrl: null,
  notes: null,
  notificationEmailAddresses: [],
  preferredSingleSignOnMode: null,
  samlSingleSignOnSettings: null,
  tags: [],
}
const json = { 'content-type': 'application/json' }
const locked = { appRoleAssignmentRequired: true }

describe('an application of a management API (AS32)', () => {
  let unchanged: ReturnType<typeof withOwnerTenant> | undefined
  for (const appId of builtInApiAppIds)
    for (const [name, write] of Object.entries(writes))
      it(`cannot be changed in any tenant: ${appId}, ${name}`, async () => {
        // A refusal leaves the directory as it is, so all of them share one.
        unchanged ??= withOwnerTenant()
        const { log, owner } = await unchanged
        const { revision } = log.directory
        const application = log.directory.applicationByAppId(appId)
        assert.ok(application)
        const reply = await write(owner, application)
        assert.equal(reply.status, 403, JSON.stringify(reply.body))
        assert.match(reply.body.error.message, /An object that management itself needs/)
        assert.equal(log.directory.revision, revision)
      })

  // What Terraform sends with `use_existing`, and parts of it.
  const harmless: readonly (readonly [name: string, body: object])[] = [
    ['all that Terraform sends', terraformPrincipal],
    ['nothing', {}],
    ['its current state', { accountEnabled: true, appRoleAssignmentRequired: false }],
    ['no tags', { tags: [] }],
    ['other tags', { tags: ['terraform'] }],
    ['notes and names', { notes: 'Ours', alternativeNames: ['graph'], description: 'Graph' }],
    ['no credentials', { keyCredentials: [] }],
  ]
  for (const appId of apisOfEveryTenant)
    for (const [name, body] of harmless)
      it(`has a service principal that accepts ${name}: ${appId} (entra E342)`, async () => {
        const { clientWith, log } = await withOwnerTenant()
        const admin = await clientWith(['Application.ReadWrite.All'])
        const before = log.directory.servicePrincipalByAppId(contoso.id, appId)
        const path = `/servicePrincipals/${before?.id}`
        const alternate = `/servicePrincipals(appId='${appId}')`
        const upsert = { prefer: 'create-if-missing' }
        assert.equal((await admin.patch(path, body)).status, 204)
        assert.equal((await admin.patch(alternate, body, upsert)).status, 204)
        const requests = [
          { id: '1', method: 'PATCH', url: path, headers: json, body },
          { id: '2', method: 'PATCH', url: path, headers: json, body: { accountEnabled: false } },
          { id: '3', method: 'PATCH', url: path, headers: json, body: { ...body, ...locked } },
        ]
        const batch = await admin.post('/$batch', { requests })
        assert.deepEqual(
          (batch.body.responses as { id: string; status: number }[])
            .toSorted((a, b) => Number(a.id) - Number(b.id))
            .map(({ status }) => status),
          [204, 403, 403],
        )
        const after = log.directory.servicePrincipalByAppId(contoso.id, appId)
        const { inertProperties: _kept, ...rest } = after ?? {}
        assert.partialDeepStrictEqual(before, rest)
      })

  for (const appId of builtInApiAppIds)
    it(`can be written back unchanged: ${appId}`, async () => {
      const { owner } = await withOwnerTenant()
      const path = `/applications(appId='${appId}')`
      const { body } = await owner.get(`${path}?$select=displayName,appRoles,identifierUris,api`)
      for (const part of [{}, { displayName: body.displayName }, { appRoles: body.appRoles }])
        assert.equal((await owner.patch(path, part)).status, 204, JSON.stringify(part))
    })

  it('cannot get a service principal in an existing tenant', async () => {
    const { owner } = await withOwnerTenant()
    const reply = await owner.post('/servicePrincipals', { appId: serverManagementAppId })
    assert.equal(reply.status, 403)
    assert.match(reply.body.error.message, /An object that management itself needs/)
  })

  it('cannot be restored by a caller', async () => {
    const { commit, log, owner } = await withOwnerTenant()
    const management = log.directory.applicationByAppId(serverManagementAppId)
    assert.ok(management)
    const deletedDateTime = new Date('2026-02-01')
    await commit(put('application', { ...management, deletedDateTime }))
    for (const act of [owner.post, owner.delete]) {
      const item = `/directory/deletedItems/${management.id}`
      const { status, body } = await act(act === owner.post ? `${item}/restore` : item)
      assert.equal(status, 403)
      assert.match(body.error.message, /An object that management itself needs/)
    }
  })
})
