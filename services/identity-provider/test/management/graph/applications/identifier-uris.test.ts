import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { contoso } from '../../sample-graph.ts'
import { withApi } from './sample-api.ts'

const unique = 'InvalidUniqueTenantIdentifierAsPerAppPolicy'
const host = 'HostNameNotOnVerifiedDomain'
const byDefault = '/policies/defaultAppManagementPolicy'
const version = (requestedAccessTokenVersion: 1 | 2 | null) => ({
  api: { requestedAccessTokenVersion },
})

/** Why a URI is refused for the tokens of version 1 and 2, and with the policy off: undefined if it is not. */
type Code = string | undefined
type Row = readonly [uri: string, v1?: Code, v2?: Code, off?: Code]
const other = 'b5c63a8b-7ad9-4b27-986f-9bd07cc4f2b2'
const rows: readonly Row[] = [
  ['api://{appId}'],
  ['api://{tenantId}/{appId}'],
  ['api://{tenantId}/orders'],
  ['api://orders/{appId}'],
  ['https://contoso.example/orders'],
  ['https://orders.contoso.example'],
  ['https://orders.contoso.example/orders'],
  ['api://contoso.example/orders'],
  ['api://orders.contoso.example/orders'],
  ['http://localhost:3000/orders'],
  ['api://orders', unique],
  ['api://hashicorptestapp-1', unique],
  ['https://orders.azurewebsites.net', unique, undefined, host],
  ['http://contoso.example/orders', unique, undefined, host],
  ['urn:orders', unique, undefined, host],
  [`api://${other}`, unique, host, host],
  [`api://{tenantId}/${other}`, unique, host, host],
]

async function withPrincipal(part: object = {}) {
  const sample = await withApi(part)
  const { admin, api } = sample
  const { body } = await admin.post('/servicePrincipals', { appId: api.appId })
  const fill = (uri: string) => uri.replace('{appId}', api.appId).replace('{tenantId}', contoso.id)
  const sentence = (uri: string, code: string) =>
    code === unique
      ? `Failed to add identifier URI ${uri}. All newly added URIs must contain a tenant verified domain, tenant ID, or app ID, as per the default tenant policy of your organization. See https://aka.ms/identifier-uri-addition-error for more information on this error.`
      : `Values of identifierUris property must use a verified domain of the organization or its subdomain: '${uri}'`
  return { ...sample, fill, principal: `/servicePrincipals/${body.id}`, sentence }
}

type Sample = Awaited<ReturnType<typeof withPrincipal>>

/** Sets a URI, and requires that it is accepted, or refused with a code. */
async function set({ admin, fill, path, sentence }: Sample, template: string, code?: string) {
  const uri = fill(template)
  const { body, status } = await admin.patch(path, { identifierUris: [uri] })
  assert.equal(status, code === undefined ? 204 : 400, JSON.stringify(body))
  if (code === undefined) return
  assert.deepEqual([body.error.code, body.error.message], [code, sentence(uri, code)])
}

const restrictions = { uriAdditionWithoutUniqueTenantIdentifier: { state: 'disabled' } }

/** What applies before a URI is set: its column in the rows, the application, and a change of a path. */
type Way = readonly [
  name: string,
  column: 1 | 2 | 3,
  part: object,
  change?: (sample: Sample) => readonly [path: string, body: object],
]
const ways: readonly Way[] = [
  ['with version null', 1, version(null)],
  ['with version 1', 1, version(1)],
  ['with version 2', 2, version(2)],
  ['for SAML', 2, {}, ({ principal }) => [principal, { preferredSingleSignOnMode: 'saml' }]],
  ["after the policy's isEnabled changed", 3, {}, () => [byDefault, { isEnabled: false }]],
  [
    "after the policy's applicationRestrictions changed",
    3,
    {},
    () => [byDefault, { applicationRestrictions: { identifierUris: restrictions } }],
  ],
]

for (const [name, column, part, change] of ways)
  describe(`an identifier URI ${name} (entra E148, E149, E234)`, () => {
    let sample: Sample
    before(async () => {
      sample = await withPrincipal(part)
      if (change === undefined) return
      assert.equal((await sample.admin.patch(...change(sample))).status, 204)
    })

    for (const row of rows)
      it(`${row[0]} is ${row[column] ?? 'accepted'}`, () => set(sample, row[0], row[column]))
  })

describe('an identifier URI (entra E148, E149, E234)', () => {
  for (const [uri, , v2] of rows)
    it(`${uri} is ${v2 ?? 'accepted'} in the same request as version 2, and in a batch`, async () => {
      const { admin, fill, path } = await withPrincipal()
      const body = { ...version(2), identifierUris: [fill(uri)] }
      const headers = { 'content-type': 'application/json' }
      const requests = [{ id: '1', method: 'PATCH', url: path, headers, body }]
      const { body: batch } = await admin.post('/$batch', { requests })
      assert.partialDeepStrictEqual(batch.responses, [{ status: v2 ? 400 : 204 }])
    })

  for (const key of ['POST', 'upsert'] as const)
    it(`is also validated when ${key} creates the application`, async () => {
      const { admin } = await withApi()
      const send = (name: string, body: object) =>
        key === 'POST'
          ? admin.post('/applications', { displayName: name, ...body })
          : admin.patch(
              `/applications(uniqueName='${name}')`,
              { displayName: name, ...body },
              { prefer: 'create-if-missing' },
            )
      const uris = { identifierUris: ['api://orders'] }
      const refused = await send('one', uris)
      assert.deepEqual([refused.status, refused.body.error.code], [400, unique])
      assert.equal((await send('two', { ...uris, ...version(2) })).status, 201)
      const known = { identifierUris: ['api://contoso.example/orders'] }
      assert.equal((await send('three', known)).status, 201)
    })

  it('that needs version 2 prevents a change to version 1 (entra E344)', async () => {
    const sample = await withPrincipal({ ...version(2), identifierUris: ['api://orders'] })
    const { admin, path } = sample
    for (const one of [1, null] as const) {
      const { body, status } = await admin.patch(path, version(one))
      assert.deepEqual([status, body.error?.code], [400, unique])
      assert.equal(body.error.message, sample.sentence('api://orders', unique))
    }
    assert.equal((await admin.patch(path, { api: null })).status, 400)
    assert.equal((await admin.patch(path, { displayName: 'Other' })).status, 204)
    const both = { ...version(1), identifierUris: ['api://contoso.example/orders'] }
    assert.equal((await admin.patch(path, both)).status, 204)
    await set(sample, 'api://orders', unique)
  })

  it('that was accepted earlier stays when others are added', async () => {
    const { admin, path } = await withApi()
    await admin.patch(byDefault, { isEnabled: false })
    assert.equal((await admin.patch(path, { identifierUris: ['api://orders'] })).status, 204)
    await admin.patch(byDefault, { isEnabled: true })
    const more = { identifierUris: ['api://orders', 'https://contoso.example/orders'] }
    assert.equal((await admin.patch(path, more)).status, 204)
    const refused = { identifierUris: [...more.identifierUris, 'api://other'] }
    assert.equal((await admin.patch(path, refused)).status, 400)
  })
})
