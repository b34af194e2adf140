import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Application } from '../../src/directory/application.ts'
import { put } from '../../src/directory/directory-change.ts'
import { DirectoryIndex } from '../../src/directory/directory-index.ts'
import { assignmentsOfConsent } from '../../src/directory/new-app-role-assignment.ts'
import { systemRuntime } from '../../src/directory/runtime.ts'
import { application, appRole, appRoleAssignment, guid, servicePrincipal } from './sample.ts'

const hi = appRole()
const hello = appRole({ id: guid(0x52), value: 'CallHelloApiRole' })
const api = application({ appRoles: [hi, hello] })
const apiPrincipal = servicePrincipal()
const clientPrincipal = servicePrincipal({ id: guid(0xb1), appId: guid(0xa1) })
const requesting = (...resourceAccess: { id: string; type: 'Role' | 'Scope' }[]): Application =>
  application({
    id: guid(0xa2),
    appId: guid(0xa1),
    requiredResourceAccess: [{ resourceAppId: api.appId, resourceAccess }],
  })

function consentTo(client: Application, ...changes: Parameters<typeof put>[] | []) {
  const directory = new DirectoryIndex()
  const all = [
    put('application', api),
    put('servicePrincipal', apiPrincipal),
    put('application', client),
    put('servicePrincipal', clientPrincipal),
    ...changes.map((change) => put(...change)),
  ]
  directory.apply(
    1,
    all.map((change) => ({ ...change, revision: 1 })),
  )
  return assignmentsOfConsent(directory, clientPrincipal, systemRuntime)
}

describe('admin consent', () => {
  it('assigns every application permission that the client requests', () => {
    const assignments = consentTo(
      requesting({ id: hi.id, type: 'Role' }, { id: hello.id, type: 'Role' }),
    )
    assert.deepEqual(
      assignments.map(({ principalId, resourceId, appRoleId }) => [
        principalId,
        resourceId,
        appRoleId,
      ]),
      [
        [clientPrincipal.id, apiPrincipal.id, hi.id],
        [clientPrincipal.id, apiPrincipal.id, hello.id],
      ],
    )
    assert.match(assignments[0]?.id ?? '', /^[\w-]{43}$/)
  })

  it('adds nothing to what is assigned already', () => {
    const assignments = consentTo(
      requesting({ id: hi.id, type: 'Role' }, { id: hello.id, type: 'Role' }),
      ['appRoleAssignment', appRoleAssignment({ appRoleId: hi.id })],
    )
    assert.deepEqual(
      assignments.map(({ appRoleId }) => appRoleId),
      [hello.id],
    )
  })

  it('passes over delegated permissions and roles that nobody declares', () => {
    assert.deepEqual(
      consentTo(requesting({ id: hi.id, type: 'Scope' }, { id: guid(0x99), type: 'Role' })),
      [],
    )
  })
})
