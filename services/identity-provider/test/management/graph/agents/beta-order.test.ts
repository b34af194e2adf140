import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allGraphRoles, contoso, requestsTo, sampleGraph } from '../../sample-graph.ts'
import { blueprintType, sponsored } from './sample-agents.ts'

const first =
  'id deletedDateTime appId applicationTemplateId identifierUris createdDateTime description disabledByMicrosoftStatus displayName isDeviceOnlyAuthSupported isFallbackPublicClient groupMembershipClaims nativeAuthenticationApisEnabled notes publisherDomain signInAudience tags'

/** The first names of an object that do not belong to OData, and not only to a blueprint. */
const namesOf = (object: object | undefined) =>
  Object.keys(object ?? {})
    .filter((name) => !name.startsWith('@') && name !== 'createdByAppId')
    .slice(0, first.split(' ').length)
    .join(' ')

describe('the property order in the beta version (entra E361)', () => {
  const rows = [
    ['a blueprint', `/applications/${blueprintType}`, sponsored],
    ['an application', '/applications', {}],
  ] as const
  for (const [name, set, part] of rows)
    it(`of ${name} is the same in the creation response, in a GET response and in a list`, async () => {
      const { actAs, app, clientWith } = await sampleGraph({ path: '/beta' })
      const { appId } = await clientWith(allGraphRoles)
      const admin = actAs(contoso.id, appId, requestsTo(app, '/beta'))
      const made = await admin.post(set, { displayName: 'First', ...part })
      assert.equal(made.status, 201)
      const one = `/applications/${made.body.id}`
      const { body: list } = await admin.get(`${set}?$filter=appId eq '${made.body.appId}'`)
      const { body: delta } = await admin.get('/applications/delta')
      const changed = delta.value.find(({ id }) => id === made.body.id)
      for (const shown of [made.body, (await admin.get(one)).body, list.value[0], changed])
        assert.equal(namesOf(shown), first)
      const names = Object.keys(made.body)
      const at = part === sponsored ? names.indexOf('identifierUris') + 1 : -1
      assert.equal(names.indexOf('createdByAppId'), at)
      assert.equal(made.body.createdByAppId, part === sponsored ? appId : undefined)
      const selected = await admin.get(`${one}?$select=displayName,appId,api`)
      assert.equal(namesOf(selected.body), 'appId displayName api')
      const inV1 = await sampleGraph()
      const other = await inV1.clientWith(allGraphRoles)
      const { body } = await other.post(set, { displayName: 'First', ...part })
      assert.match(namesOf(body), /^id deletedDateTime appId applicationTemplateId disabledBy/)
    })
})
