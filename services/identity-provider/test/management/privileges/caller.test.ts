import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '../../../src/directory/directory-change.ts'
import { graphOperations } from '../../../src/management/graph/graph-operations.ts'
import type { GraphRole } from '../../../src/management/privileges/graph-roles.ts'
import { guid } from '../../directory/sample.ts'
import { wholeDirectory } from '../../fakes/whole-directory.ts'
import { contoso, sampleGraph } from '../sample-graph.ts'

const reader = ['Application.Read.All'] as const
const writer = ['Application.ReadWrite.All'] as const
const granter = ['AppRoleAssignment.ReadWrite.All'] as const
const readingGranter = [...granter, ...reader] as const
const writingGranter = [...granter, ...writer] as const

const callers: Readonly<Record<string, readonly GraphRole[]>> = {
  'no role': [],
  'Application.Read.All': reader,
  'Application.ReadWrite.All': writer,
  'AppRoleAssignment.ReadWrite.All': granter,
  'AppRoleAssignment.ReadWrite.All and Application.Read.All': readingGranter,
  'AppRoleAssignment.ReadWrite.All and Application.ReadWrite.All': writingGranter,
}

const all = Object.values(callers)
const readers = [reader, writer, readingGranter, writingGranter]
const writers = [writer, writingGranter]
const granters = [readingGranter, writingGranter]

/** Repeats the table of operations on purpose: a change of one requires a change of the other. */
const mayCall: Readonly<Record<string, readonly (readonly GraphRole[])[]>> = {
  'POST /$batch': all,
  'GET /$metadata': all,
  'GET /organization': [...readers, granter],
  'GET /domains': [...readers, granter],
  'GET /me': all,
  'GET /me/{navigation}': all,
  'POST /directoryObjects/getByIds': readers,
  'GET /directoryObjects/{id}': readers,
  'GET /applications': readers,
  'GET /applications/$count': readers,
  'GET /applications/delta': readers,
  'POST /applications': writers,
  'GET /applications/{id}': readers,
  'PATCH /applications/{id}': writers,
  'DELETE /applications/{id}': writers,
  'POST /applications/{id}/addPassword': writers,
  'POST /applications/{id}/removePassword': writers,
  'POST /servicePrincipals/{id}/addPassword': writers,
  'POST /servicePrincipals/{id}/removePassword': writers,
  'GET /applications/{id}/federatedIdentityCredentials': readers,
  'POST /applications/{id}/federatedIdentityCredentials': writers,
  'GET /applications/{id}/federatedIdentityCredentials/{credential}': readers,
  'PATCH /applications/{id}/federatedIdentityCredentials/{credential}': writers,
  'DELETE /applications/{id}/federatedIdentityCredentials/{credential}': writers,
  'GET /directory/deletedItems/microsoft.graph.application': readers,
  'GET /directory/deletedItems/microsoft.graph.servicePrincipal': readers,
  'GET /directory/deletedItems/{id}': readers,
  'POST /directory/deletedItems/{id}/restore': writers,
  'DELETE /directory/deletedItems/{id}': writers,
  'GET /servicePrincipals': readers,
  'GET /servicePrincipals/$count': readers,
  'GET /servicePrincipals/delta': readers,
  'POST /servicePrincipals': writers,
  'GET /servicePrincipals/{id}': readers,
  'PATCH /servicePrincipals/{id}': writers,
  'DELETE /servicePrincipals/{id}': writers,
  'GET /applications/{id}/owners': readers,
  'POST /applications/{id}/owners/$ref': writers,
  'DELETE /applications/{id}/owners/{owner}/$ref': writers,
  'GET /servicePrincipals/{id}/owners': readers,
  'POST /servicePrincipals/{id}/owners/$ref': writers,
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': writers,
  'GET /servicePrincipals/{id}/appRoleAssignedTo': [...readers, granter],
  'POST /servicePrincipals/{id}/appRoleAssignedTo': granters,
  'GET /servicePrincipals/{id}/appRoleAssignedTo/{assignment}': [...readers, granter],
  'DELETE /servicePrincipals/{id}/appRoleAssignedTo/{assignment}': granters,
  'GET /servicePrincipals/{id}/appRoleAssignments': [...readers, granter],
  'POST /servicePrincipals/{id}/appRoleAssignments': granters,
  'GET /servicePrincipals/{id}/appRoleAssignments/{assignment}': [...readers, granter],
  'DELETE /servicePrincipals/{id}/appRoleAssignments/{assignment}': granters,
  'GET /oauth2PermissionGrants': [...readers, granter],
  'POST /oauth2PermissionGrants': granters,
  'GET /oauth2PermissionGrants/{grant}': [...readers, granter],
  'PATCH /oauth2PermissionGrants/{grant}': granters,
  'DELETE /oauth2PermissionGrants/{grant}': granters,
  'GET /servicePrincipals/{id}/oauth2PermissionGrants': [...readers, granter],
  'POST /applicationTemplates/{id}/instantiate': writers,
  'GET /applications/{id}/{property}': readers,
  'GET /servicePrincipals/{id}/{property}': readers,
}

const pathOf = (template: string) =>
  template.replace('{property}', 'displayName').replaceAll(/\{\w+\}/g, guid(0xabc))

describe('the required roles', () => {
  it('are tested for every operation', () => {
    assert.deepEqual(
      graphOperations.map(({ method, path }) => `${method} ${path}`),
      Object.keys(mayCall),
    )
  })

  for (const { method, path, takesBody } of graphOperations) {
    it(`of ${method} ${path} admit a caller, and no other roles do`, async () => {
      const { clientWith, log, request } = await sampleGraph()
      const body = takesBody ? {} : undefined
      const anonymous = await request(method, pathOf(path), body, {})
      assert.equal(anonymous.status, 401)
      assert.equal(anonymous.body.error.code, 'InvalidAuthenticationToken')
      assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer realm="management"')

      const { revision } = (await log.changesAfter()).latest
      for (const [name, roles] of Object.entries(callers)) {
        const client = await clientWith(roles)
        const send = client[method.toLowerCase() as 'get']
        const { status, body: answer } = await send(pathOf(path), body)
        const isAllowed = mayCall[`${method} ${path}`]?.includes(roles)
        if (isAllowed) assert.notEqual(status, 403, name)
        else {
          assert.equal(status, 403, name)
          assert.equal(answer.error.code, 'Authorization_RequestDenied', name)
        }
      }
      const commitsOfClients = Object.keys(callers).length
      assert.equal((await log.changesAfter()).latest.revision, revision + commitsOfClients)
    })
  }

  it('are checked after the token: an unknown path is reported only to callers with a token', async () => {
    const { clientWith, request } = await sampleGraph()
    assert.equal((await request('GET', '/users', undefined, {})).status, 401)
    const { status, body } = await (await clientWith([])).get('/users')
    assert.equal(status, 400)
    assert.equal(body.error.message, "Resource not found for the segment 'users'.")
  })

  it('do not matter for an unknown method: the answer lists the allowed methods', async () => {
    const { clientWith } = await sampleGraph()
    const { status, headers } = await (await clientWith(reader)).delete('/applications')
    assert.equal(status, 405)
    assert.equal(headers.get('allow'), 'GET, POST')
  })
})

/** A token is valid longer than the roles in it: CVE-2026-9705 and CVE-2026-1609 of Keycloak. */
describe('a token of a client that lost', () => {
  const losses = {
    'its account': async ({ commit, store, client }: Loss) => {
      const principal = (await wholeDirectory(store)).servicePrincipal(client.principalId)
      if (principal) await commit(put('servicePrincipal', { ...principal, accountEnabled: false }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its service principal': async ({ commit, store, client, runtime }: Loss) => {
      const principal = (await wholeDirectory(store)).servicePrincipal(client.principalId)
      const deletedDateTime = runtime.now()
      if (principal) await commit(put('servicePrincipal', { ...principal, deletedDateTime }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its application': async ({ commit, store, client, runtime }: Loss) => {
      const own = (await wholeDirectory(store)).applicationByAppId(client.appId)
      if (own) await commit(put('application', { ...own, deletedDateTime: runtime.now() }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its tenant': async ({ commit }: Loss) => {
      await commit(put('tenant', { ...contoso, isEnabled: false }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its role': async ({ commit, store, client }: Loss) => {
      for (const { id } of (await wholeDirectory(store)).assignmentsOf(client.principalId))
        await commit({ kind: 'appRoleAssignment', id, value: null })
      return { status: 403, code: 'Authorization_RequestDenied' }
    },
  }
  type Loss = Awaited<ReturnType<typeof sampleGraph>> & {
    client: { appId: string; principalId: string }
  }

  for (const [name, lose] of Object.entries(losses)) {
    it(`${name} is refused from then on`, async () => {
      const sample = await sampleGraph()
      const client = await sample.clientWith(writer)
      assert.equal((await client.get('/applications')).status, 200)
      const { status, code } = await lose({ ...sample, client })
      const reply = await client.patch(`/servicePrincipals/${client.principalId}`, {
        accountEnabled: true,
      })
      assert.equal(reply.status, status)
      assert.equal(reply.body.error.code, code)
    })
  }
})
