import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppRole } from '../../src/directory/app-role.ts'
import { type DirectoryChange, put } from '../../src/directory/directory-change.ts'
import { emptyGuid } from '../../src/directory/guid.ts'
import { grantedRoles } from '../../src/issuance/granted-roles.ts'
import { Refused } from '../../src/issuance/refusal.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
} from '../directory/sample.ts'
import { DirectoryIndex } from '../fakes/directory-index.ts'

const hello = appRole({ id: guid(0x52), value: 'CallHelloApiRole' })
const clientPrincipal = servicePrincipal({ id: guid(0xb1), appId: guid(0xa1) })
const client = { application: application({ appId: guid(0xa1) }), principal: clientPrincipal }

type Case = {
  readonly roles?: readonly AppRole[]
  readonly assigned?: readonly string[]
  readonly elsewhere?: readonly string[]
  readonly required?: boolean
}

function rolesOf({ roles = [appRole(), hello], assigned = [], elsewhere = [], required }: Case) {
  const principal = servicePrincipal({ appRoleAssignmentRequired: required ?? false })
  const assignment = (appRoleId: string, index: number, resourceId: string): DirectoryChange =>
    put(
      'appRoleAssignment',
      appRoleAssignment({ id: `${resourceId} ${index}`, appRoleId, resourceId }),
    )
  const directory = new DirectoryIndex()
  const changes = [
    ...assigned.map((id, index) => assignment(id, index, principal.id)),
    ...elsewhere.map((id, index) => assignment(id, index, guid(0xee))),
  ]
  directory.apply(
    1,
    changes.map((change) => ({ ...change, revision: 1 })),
  )
  const api = application({ appRoles: roles })
  return grantedRoles(directory, client, { requestedAs: 'api://one', application: api, principal })
}

const rows: [string, Case, string[]][] = [
  ['none when nothing is assigned', {}, []],
  ['the one that is assigned', { assigned: [hello.id] }, ['CallHelloApiRole']],
  [
    'all that are assigned, as the API lists them',
    { assigned: [hello.id, appRole().id] },
    ['CallHiApiRole', 'CallHelloApiRole'],
  ],
  [
    'each once, however often it is assigned',
    { assigned: [hello.id, hello.id] },
    ['CallHelloApiRole'],
  ],
  ['none of another API', { elsewhere: [hello.id] }, []],
  ['none that the API does not declare any more', { roles: [hello], assigned: [appRole().id] }, []],
  [
    'none that is disabled',
    { roles: [appRole({ isEnabled: false }), hello], assigned: [appRole().id, hello.id] },
    ['CallHelloApiRole'],
  ],
  [
    'none that is for users only',
    { roles: [appRole({ allowedMemberTypes: ['User'] })], assigned: [appRole().id] },
    [],
  ],
  [
    'nothing for a role without a value',
    { roles: [appRole({ value: null })], assigned: [appRole().id] },
    [],
  ],
  ['nothing for access without a role', { assigned: [emptyGuid] }, []],
  [
    'nothing but access, where an assignment is required',
    { assigned: [emptyGuid], required: true },
    [],
  ],
]

describe('the roles of a client at an API (AS13) are', () => {
  for (const [what, input, expected] of rows) {
    it(what, () => assert.deepEqual(rolesOf(input), expected))
  }

  it('a reason to refuse, where an assignment is required and there is none', () => {
    for (const input of [{ required: true }, { required: true, elsewhere: [hello.id] }]) {
      const result = rolesOf(input)
      assert.ok(result instanceof Refused)
      assert.equal(result.refusal.reason, 'role_required')
    }
  })
})
