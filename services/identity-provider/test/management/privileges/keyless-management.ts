import { serverManagementAppId } from '@greeting/directory'
import type { SavedLog } from '../../../../../test/fixtures/directory/memory-directory-log.ts'
import { createServerApp } from '../../../src/management/server/server-operations.ts'
import { believe, contoso, requestsTo, sampleGraph, sampleGraphOver } from '../sample-graph.ts'

const signingKey = {
  kid: 'key',
  certificate: '',
  sealedPrivateKey: '',
  announcedAt: new Date(0),
  signsFrom: new Date(0),
  retiredAt: null,
  longestTokenSeconds: 3600,
}

/** Both management APIs over one directory, with fake signing keys, because real ones are slow. */
export async function keylessManagement(saved?: SavedLog) {
  const graph = saved === undefined ? await sampleGraph() : sampleGraphOver({}, saved)
  const app = createServerApp({
    baseUrl: 'https://login.example',
    store: graph.store,
    keys: {
      states: () => [],
      refresh: async () => {},
      rotate: async () => signingKey,
      revoke: async () => {},
      reencrypt: async () => 0,
    },
    audit: { find: async () => ({ records: [], next: null }), countHours: async () => [] },
    findEndingCredentials: async () => [],
    authenticate: believe,
    recordRefusal: (record) => graph.refusals.push(record),
    report: (error) => graph.reports.push(error),
    runtime: graph.runtime,
  })
  const requestManagement = requestsTo(app, '/management')
  const managerWith = (roles: readonly string[], tenant = contoso) =>
    graph.clientWith(roles, tenant, serverManagementAppId, requestManagement)
  return { ...graph, managerWith, requestManagement }
}
