import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseEnv } from 'node:util'
import {
  type AuthProvider,
  Client,
  GraphError,
  PageIterator,
} from '@microsoft/microsoft-graph-client'
import { decodeJwt } from 'jose'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import type { Service } from '../../src/startup/service.ts'
import { startHere } from '../provider-here.ts'
import { role } from './graph/applications/sample-api.ts'
import { startTlsFront } from './tls-front.ts'

type Settings = Record<'CLIENT_ID' | 'CLIENT_SECRET' | 'GRAPH_URL' | 'TENANT_ID', string>

/** The client sends its token only over HTTPS, to the hosts of Microsoft and to `customHosts`. */
describe('@microsoft/microsoft-graph-client, unchanged', () => {
  const dataDir = freshFolder()
  let front: Awaited<ReturnType<typeof startTlsFront>>
  let provider: Service
  let settings: Settings
  let graph: Client
  const authorities = getCACertificates()

  before(async () => {
    front = await startTlsFront()
    setDefaultCACertificates([...authorities, front.certificate])
    const environment = { DATA_DIR: dataDir, AUTH_URL: front.url, HTTPS_PORT: 'off' }
    provider = await startHere({ ...environment, REGISTRATIONS: '' })
    front.passTo(provider.url)
    settings = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8')) as Settings
    const authProvider: AuthProvider = (done) =>
      void token(settings.CLIENT_ID, settings.CLIENT_SECRET, 'https://graph.microsoft.com/.default')
        .then((accessToken) => done(null, accessToken))
        .catch((error) => done(error, null))
    // The lines that docs/reference/graph.md shows.
    graph = Client.init({
      baseUrl: settings.GRAPH_URL,
      customHosts: new Set(['localhost']),
      authProvider,
    })
  })
  after(async () => {
    // Other tests of this process expect that the certificate is refused.
    setDefaultCACertificates(authorities)
    front.stop()
    await provider.stop()
  })

  async function token(clientId: string, clientSecret: string, scope: string): Promise<string> {
    const response = await fetch(`${front.url}/${settings.TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        scope,
      }),
    })
    const body = await response.json()
    assert.equal(response.status, 200, JSON.stringify(body))
    return body.access_token
  }

  it('registers an API and a client, obtains a token with both roles, and removes everything', async () => {
    // 1. The API, and its identifier URI with its application ID.
    const api = await graph.api('/applications').post({ displayName: 'Greeting API' })
    const uri = `api://${api.appId}`
    await graph.api(`/applications/${api.id}`).update({ identifierUris: [uri] })
    // 2. Its app roles.
    const appRoles = [
      role(),
      role({ id: 'b7d41c9a-2e58-4f03-8c6d-1a9f7e3b5c24', value: 'CallHelloApiRole' }),
    ]
    await graph.api(`/applications(appId='${api.appId}')`).patch({ appRoles })
    const resource = await graph.api('/servicePrincipals').post({ appId: api.appId })
    // 3. The client.
    const client = await graph.api('/applications').post({ displayName: 'Greeting client' })
    const principal = await graph.api('/servicePrincipals').post({ appId: client.appId })
    // 4. The permissions that it requests.
    await graph.api(`/applications/${client.id}`).update({
      requiredResourceAccess: [
        {
          resourceAppId: api.appId,
          resourceAccess: appRoles.map(({ id }) => ({ id, type: 'Role' })),
        },
      ],
    })
    // 6. A secret, before the consent, to test a token without roles.
    const { secretText } = await graph
      .api(`/applications/${client.id}/addPassword`)
      .post({ passwordCredential: { displayName: 'First secret' } })
    const rolesNow = async () =>
      decodeJwt(await token(client.appId, secretText, `${uri}/.default`)).roles
    assert.equal(await rolesNow(), undefined, 'a requested permission grants nothing')
    // 5. Admin consent.
    const consents = await Promise.all(
      appRoles.map(({ id: appRoleId }) =>
        graph
          .api(`/servicePrincipals/${resource.id}/appRoleAssignedTo`)
          .post({ principalId: principal.id, resourceId: resource.id, appRoleId }),
      ),
    )
    assert.deepEqual(await rolesNow(), ['CallHiApiRole', 'CallHelloApiRole'])

    for (const { id } of consents)
      await graph.api(`/servicePrincipals/${principal.id}/appRoleAssignments/${id}`).delete()
    assert.equal(await rolesNow(), undefined, 'a removed assignment grants nothing')
    for (const { id } of [api, client]) await graph.api(`/applications/${id}`).delete()
  })

  it('filters, selects, counts and follows pages', async () => {
    for (const displayName of ['One', 'Two', 'Three'])
      await graph.api('/applications').post({ displayName })
    const found = await graph
      .api('/applications')
      .filter("displayName eq 'Two'")
      .select(['id', 'displayName'])
      .count(true)
      .get()
    assert.equal(found['@odata.count'], 1)
    assert.deepEqual(Object.keys(found.value[0]), ['id', 'displayName'])

    const names: string[] = []
    const first = await graph.api('/applications').top(1).select('displayName').get()
    const pages = new PageIterator(graph, first, ({ displayName }) => names.push(displayName) > 0)
    await pages.iterate()
    assert.deepEqual(names.toSorted(), ['Administrator', 'One', 'Three', 'Two'])
  })

  it('reads the users of the tenant, page by page', async () => {
    const first = await graph.api('/users').top(2).select(['givenName', 'userPrincipalName']).get()
    const found: Record<string, string>[] = []
    await new PageIterator(graph, first, (one) => found.push(one) > 0).iterate()
    assert.deepEqual(found.map(({ givenName }) => givenName).toSorted(), ['Amara', 'Jonas', 'Mei'])
    const one = await graph.api(`/users/${found[0]?.userPrincipalName}`).get()
    assert.equal(one.givenName, found[0]?.givenName)
    const count = await graph.api('/users/$count').header('ConsistencyLevel', 'eventual').get()
    assert.equal(Number(count), 3)
    assert.deepEqual((await graph.api('/groups').get()).value, [])
  })

  it("throws its usual error with the refusal's code, message and request ID", async () => {
    await assert.rejects(
      graph.api('/applications/11111111-2222-4333-8444-000000000000').get(),
      (error: unknown) => {
        assert.ok(error instanceof GraphError)
        assert.equal(error.statusCode, 404)
        assert.equal(error.code, 'Request_ResourceNotFound')
        assert.match(error.message, /does not exist or one of its queried reference-property/)
        assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/)
        return true
      },
    )
  })

  it('changes an object only if it is unchanged since it was read', async () => {
    const api = await graph.api('/applications').post({ displayName: 'Shared' })
    const change = (displayName: string) =>
      graph
        .api(`/applications/${api.id}`)
        .header('If-Match', api['@odata.etag'])
        .update({ displayName })
    await change('Mine')
    await assert.rejects(change('Late'), { statusCode: 412 })
  })

  it('registers a blueprint and an agent, which receives both its own role and an inherited one until the blueprint is deleted', async () => {
    const api = await graph.api('/applications').post({ displayName: 'Orders API' })
    const uri = `api://${api.appId}`
    const inherited = role({ id: 'b7d41c9a-2e58-4f03-8c6d-1a9f7e3b5c24', value: 'Inherited' })
    await graph
      .api(`/applications/${api.id}`)
      .update({ identifierUris: [uri], appRoles: [role(), inherited] })
    const resource = await graph.api('/servicePrincipals').post({ appId: api.appId })

    const agentIdentity = 'microsoft.graph.agentIdentity'
    const typed = (path: string) => graph.api(path).header('OData-Version', '4.0')
    const sponsors = {
      'sponsors@odata.bind': [
        'https://graph.microsoft.com/v1.0/users/11111111-2222-4333-8444-555555555555',
      ],
    }
    const blueprint = await typed('/applications').post({
      '@odata.type': '#Microsoft.Graph.AgentIdentityBlueprint',
      displayName: 'Orders agents',
      ...sponsors,
    })
    const parts = `/applications/${blueprint.appId}/${agentIdentity}Blueprint`
    const { secretText } = await graph
      .api(`${parts}/addPassword`)
      .post({ passwordCredential: { displayName: 'First secret' } })
    const agentBody = {
      displayName: 'Nightly agent',
      agentIdentityBlueprintId: blueprint.appId,
      ...sponsors,
    }
    await assert.rejects(typed(`/servicePrincipals/${agentIdentity}`).post(agentBody), {
      statusCode: 400,
      message: 'The Agent Blueprint Principal for the Agent Blueprint does not exist.',
    })
    const principal = await typed(`/servicePrincipals/${agentIdentity}BlueprintPrincipal`).post({
      appId: blueprint.appId,
    })
    const agent = await typed(`/servicePrincipals/${agentIdentity}`).post(agentBody)
    assert.equal(agent.servicePrincipalType, 'ServiceIdentity')
    const assign = (principalId: string, appRoleId: string) =>
      graph
        .api(`/servicePrincipals/${principalId}/appRoleAssignments`)
        .post({ principalId, resourceId: resource.id, appRoleId })
    await assign(agent.id, role().id)
    await assign(principal.id, inherited.id)

    const requestToken = async (form: Record<string, string>) => {
      const response = await fetch(`${front.url}/${settings.TENANT_ID}/oauth2/v2.0/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
      })
      const { access_token = '', error_codes: [code] = [] } = await response.json()
      return { token: access_token as string, code }
    }
    const exchange = () =>
      requestToken({
        client_id: blueprint.appId,
        client_secret: secretText,
        scope: 'api://AzureADTokenExchange/.default',
        fmi_path: agent.id,
      })
    const rolesNow = async () => {
      const { token } = await requestToken({
        client_id: agent.id,
        scope: `${uri}/.default`,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: (await exchange()).token,
      })
      return decodeJwt<{ roles?: string[] }>(token).roles?.toSorted()
    }
    assert.deepEqual(await rolesNow(), [role().value])
    await graph
      .api(`/applications/${agentIdentity}Blueprint/${blueprint.appId}/inheritablePermissions`)
      .post({
        resourceAppId: api.appId,
        inheritableScopes: {
          '@odata.type': '#microsoft.graph.allAllowedScopes',
          kind: 'allAllowed',
        },
        inheritableRoles: { '@odata.type': '#microsoft.graph.allAllowedRoles', kind: 'allAllowed' },
      })
    assert.deepEqual(await rolesNow(), [role().value, 'Inherited'].toSorted())

    const listed = await graph.api(`/servicePrincipals/${agentIdentity}`).get()
    assert.deepEqual(
      listed.value.map(({ id }: { id: string }) => id),
      [agent.id],
    )
    await graph.api(`/servicePrincipals/${principal.id}`).delete()
    assert.equal((await exchange()).code, 7000229)
    for (const { id } of [api, blueprint]) await graph.api(`/applications/${id}`).delete()
  })
})
