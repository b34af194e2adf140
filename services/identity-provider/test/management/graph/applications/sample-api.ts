import assert from 'node:assert/strict'
import { allGraphRoles, sampleGraph } from '../../sample-graph.ts'

/** An app role in a request. */
export const role = (part: object = {}) => ({
  allowedMemberTypes: ['Application'],
  description: 'May call hi.',
  displayName: 'Call hi',
  id: '0e6f2b1d-93c4-4d8a-a1f7-6c5e8b2d4f10',
  isEnabled: true,
  value: 'CallHiApiRole',
  ...part,
})

/** A management API with one application, and a client with all roles. */
export async function withApi(part: object = {}, options: Parameters<typeof sampleGraph>[0] = {}) {
  const sample = await sampleGraph(options)
  const admin = await sample.clientWith(allGraphRoles)
  const api = await admin.post('/applications', { displayName: 'API', ...part })
  assert.equal(api.status, 201, JSON.stringify(api.body))
  return { ...sample, admin, api: api.body, path: `/applications/${api.body.id}` }
}
