import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readDocumentedRoles } from './attack/documented-roles.ts'
import { type Caller, type Target, undueReason } from './attack/judge-answer.ts'
import { authorityOf, ObservedDirectory } from './attack/observed-directory.ts'
import { root } from './greeting-process.ts'

const reference = readDocumentedRoles(readFileSync(join(root, 'docs/reference/graph.md'), 'utf8'))

/** Two tenants: the caller has a role in A, and another application has one role in each tenant. */
function sampleDirectory(): ObservedDirectory {
  const directory = new ObservedDirectory()
  const applications: [string, string][] = [
    ['caller', 'A'],
    ['plain', 'A'],
    ['privileged', 'A'],
    ['visitor', 'A'],
    ['foreign', 'B'],
  ]
  for (const [id, homeTenantId] of applications) {
    const one = { id, appId: id, homeTenantId, isMultiTenant: id === 'visitor', isDeleted: false }
    directory.applications.set(id, one)
  }
  const principals: [string, string][] = [...applications, ['visitor', 'B']]
  for (const [appId, tenantId] of principals) {
    const id = `${appId} in ${tenantId}`
    directory.principals.set(id, { id, appId, tenantId, isEnabled: true, isDeleted: false })
  }
  const api = { id: 'Graph in A', appId: 'graph', tenantId: 'A', managementApi: 'graph' } as const
  directory.principals.set(api.id, { ...api, isEnabled: true, isDeleted: false })
  const assigned: [string, string, string][] = [
    ['caller', 'A', 'Application.ReadWrite.All'],
    ['privileged', 'A', 'AppRoleAssignment.ReadWrite.All'],
    ['visitor', 'B', 'Application.Read.All'],
  ]
  for (const [appId, tenantId, role] of assigned) {
    const authority = authorityOf(tenantId, 'graph', role)
    const [id, principalId] = [`${appId} ${role}`, `${appId} in ${tenantId}`]
    directory.assignments.set(id, { id, principalId, resourceId: api.id, tenantId, authority })
  }
  return directory
}

const caller: Caller = {
  isGenuine: true,
  api: 'graph',
  tenantId: 'A',
  appId: 'caller',
  roles: new Set(['Application.ReadWrite.All']),
}

describe('the check of a response', () => {
  const addPassword = 'POST /applications/{id}/addPassword'
  const addKey = 'POST /applications/{id}/addKey'
  const roleless = { roles: new Set<string>() }
  const assign = 'POST /servicePrincipals/{id}/appRoleAssignedTo'
  const consenting = { appId: 'privileged', roles: new Set(['AppRoleAssignment.ReadWrite.All']) }
  const rows: [string, string, Target, Partial<Caller>, RegExp | undefined][] = [
    ['a client without management roles', addPassword, { application: 'plain' }, {}, undefined],
    ['the caller itself', addPassword, { application: 'caller' }, {}, undefined],
    ['a client with another role', addPassword, { application: 'privileged' }, {}, /role that the/],
    [
      'a client with a role in another tenant',
      addPassword,
      { application: 'visitor' },
      {},
      /in another t/,
    ],
    [
      'an object of another tenant',
      addPassword,
      { application: 'foreign' },
      {},
      /of another tenan/,
    ],
    [
      'a secret of a service principal with a role in another tenant',
      'POST /servicePrincipals/{id}/addPassword',
      { principal: 'visitor in A' },
      {},
      /in another tenant/,
    ],
    [
      'a certificate by PATCH',
      'PATCH /applications/{id}',
      { application: 'visitor', addsCredential: true },
      {},
      /in another tenant/,
    ],
    ['its own certificate without a role', addKey, { application: 'caller' }, roleless, undefined],
    ['another certificate without a role', addKey, { application: 'plain' }, roleless, /its own/],
    ['another certificate with the role', addKey, { application: 'plain' }, {}, undefined],
    ['a note by PATCH', 'PATCH /applications/{id}', { application: 'visitor' }, {}, undefined],
    [
      'a role that the caller lacks',
      assign,
      { authority: authorityOf('A', 'graph', 'Application.ReadWrite.All') },
      consenting,
      /only the roles/,
    ],
    ['an API', 'DELETE /servicePrincipals/{id}', { principal: 'Graph in A' }, {}, /management API/],
    ['a forged token', addPassword, {}, { isGenuine: false }, /not genuine/],
    ['a token for the other API', addPassword, {}, { api: 'server' }, /another API/],
    ['a token without the role', addPassword, {}, { roles: new Set() }, /only the roles none/],
    ['a role that was withdrawn', addPassword, {}, { appId: 'plain' }, /only the roles none/],
  ]
  for (const [what, operation, target, other, expected] of rows)
    it(`${expected ? 'refuses' : 'permits'} ${what}: ${operation}`, () => {
      const documented = reference.find((one) => one.operation === operation)
      assert.ok(documented)
      const reason = undueReason(documented, { ...caller, ...other }, target, sampleDirectory())
      if (expected === undefined) assert.equal(reason, undefined)
      else assert.match(`${reason}`, expected)
    })
})
