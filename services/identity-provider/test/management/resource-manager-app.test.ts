import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { domainsOf, put } from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import { GraphError, refuse } from '../../src/management/refusals/graph-error.ts'
import {
  createResourceManagerApp,
  type ResourceManagerOptions,
} from '../../src/management/resource-manager-app.ts'
import { believe, contoso, fabrikam, sampleGraph } from './sample-graph.ts'

let graph: Awaited<ReturnType<typeof sampleGraph>>
before(async () => {
  graph = await sampleGraph()
})

const appWith = (part: Partial<ResourceManagerOptions> = {}) =>
  createResourceManagerApp({
    authUrl: 'https://login.example',
    authenticate: believe,
    store: graph.store,
    report: (error) => graph.reports.push(error),
    runtime: graph.runtime,
    ...part,
  })

/** Sends a request as a client without any role. */
async function ask(path: string, tenant = contoso, part: Partial<ResourceManagerOptions> = {}) {
  const { appId } = await graph.clientWith([], tenant)
  const headers = { authorization: `Bearer ${tenant.id}:${appId}` }
  const response = await appWith(part).request(path, { headers })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('Azure Resource Manager', () => {
  it('has no subscriptions', async () => {
    const { status, body, headers } = await ask('/subscriptions?api-version=2019-11-01')
    assert.equal(status, 200)
    assert.deepEqual(body, { value: [], count: { type: 'Total', value: 0 } })
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  for (const tenant of [contoso, fabrikam])
    it(`lists only the caller's tenant: ${tenant.displayName}`, async () => {
      const { body } = await ask('/tenants?api-version=2022-12-01', tenant)
      assert.deepEqual(body.value, [
        {
          id: `/tenants/${tenant.id}`,
          tenantId: tenant.id,
          displayName: tenant.displayName,
          defaultDomain: tenant.domains[0],
          domains: domainsOf(tenant),
          tenantCategory: 'Home',
        },
      ])
    })

  const versions: [string, string][] = [
    ['/subscriptions', 'MissingApiVersionParameter'],
    ['/tenants?api-version=latest', 'InvalidApiVersionParameter'],
  ]
  for (const [path, code] of versions)
    it(`refuses ${path} with ${code}`, async () => {
      const { status, body } = await ask(path)
      assert.equal(status, 400)
      assert.equal(body.error.code, code)
    })

  const faults: [string, () => unknown, number, string][] = [
    ['no token', () => refuse('token_missing'), 401, 'AuthenticationFailed'],
    ['another audience', () => refuse('token_invalid', 'x'), 401, 'InvalidAuthenticationToken'],
    ['two tokens', () => refuse('credentials_malformed'), 400, 'InvalidAuthenticationToken'],
    ['no keys', () => refuse('keys_unavailable'), 503, 'InvalidAuthenticationToken'],
    ['no store', () => new StorageUnavailableError('x'), 503, 'ServerUnavailable'],
    ['a defect', () => new Error('canary'), 500, 'InternalServerError'],
  ]
  for (const [what, fault, status, code] of faults)
    it(`responds with ${status} ${code} for ${what}`, async () => {
      const thrown = fault()
      const reported = graph.reports.length
      const authenticate = () => Promise.reject(thrown)
      const answer = await ask('/subscriptions?api-version=2022-12-01', contoso, { authenticate })
      assert.equal(answer.status, status)
      assert.equal(answer.body.error.code, code)
      const isFault = !(thrown instanceof GraphError)
      assert.equal(graph.reports.length - reported, isFault ? 1 : 0)
      assert.doesNotMatch(JSON.stringify(answer.body), /canary/)
      const challenge = answer.headers.get('www-authenticate')
      if (status === 401)
        assert.match(challenge ?? '', /^Bearer authorization_uri="https:\/\/login/)
      else assert.equal(challenge, null)
    })

  it('refuses a client that was disabled after its token was issued', async () => {
    const { appId, principalId } = await graph.clientWith([])
    const directory = await graph.store.read((current) => current)
    const principal = await graph.store.read((current) => current.servicePrincipal(principalId))
    assert.ok(principal && directory)
    await graph.commit(put('servicePrincipal', { ...principal, accountEnabled: false }))
    const headers = { authorization: `Bearer ${contoso.id}:${appId}` }
    const response = await appWith().request('/tenants?api-version=2022-12-01', { headers })
    assert.equal(response.status, 401)
  })
})
