import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AppRole, type DirectoryChange, emptyGuid, put, remove } from '@greeting/directory'
import { DirectoryCache } from '../../../../packages/directory/src/live/directory-cache.ts'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
} from '../../../../test/fixtures/directory/sample.ts'
import { grantedRoles } from '../../src/issuance/granted-roles.ts'
import { Refused } from '../../src/refusals/refusal.ts'

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
    changes.map((change) => ({ ...change, mark: 'mark 1' })),
  )
  const api = application({ appRoles: roles })
  return grantedRoles(directory, client, { requestedAs: 'api://one', application: api, principal })
}

const rows: [string, Case, string[]][] = [
  ['none when nothing is assigned', {}, []],
  ['the single assigned role', { assigned: [hello.id] }, ['CallHelloApiRole']],
  [
    'all assigned roles, in the order of the API',
    { assigned: [hello.id, appRole().id] },
    ['CallHiApiRole', 'CallHelloApiRole'],
  ],
  [
    'unique, however often a role is assigned',
    { assigned: [hello.id, hello.id] },
    ['CallHelloApiRole'],
  ],
  ['none that belong to another API', { elsewhere: [hello.id] }, []],
  ['none that the API no longer declares', { roles: [hello], assigned: [appRole().id] }, []],
  [
    'none that are disabled',
    { roles: [appRole({ isEnabled: false }), hello], assigned: [appRole().id, hello.id] },
    ['CallHelloApiRole'],
  ],
  [
    'none that are for users only',
    { roles: [appRole({ allowedMemberTypes: ['User'] })], assigned: [appRole().id] },
    [],
  ],
  [
    'empty for a role without a value',
    { roles: [appRole({ value: null })], assigned: [appRole().id] },
    [],
  ],
  ['empty for access without a role', { assigned: [emptyGuid] }, []],
  [
    'empty for access without a role, even if an assignment is required',
    { assigned: [emptyGuid], required: true },
    [],
  ],
]

describe('the roles of a client at an API (AS13) are', () => {
  for (const [what, input, expected] of rows) {
    it(what, () => assert.deepEqual(rolesOf(input), expected))
  }

  it('refused if an assignment is required and does not exist', () => {
    for (const input of [{ required: true }, { required: true, elsewhere: [hello.id] }]) {
      const result = rolesOf(input)
      assert.ok(result instanceof Refused)
      assert.equal(result.refusal.reason, 'role_required')
    }
  })
})

/** An object that counts how often one of its properties is read. */
function counted<Value extends object>(value: Value, name: keyof Value, count: () => void): Value {
  const property = value[name]
  const get = () => {
    count()
    return property
  }
  return Object.defineProperty(value, name, { get, enumerable: true })
}

describe('the roles of a client with 1,000 of the 1,200 roles of an API', () => {
  let reads = 0
  const count = () => {
    reads += 1
  }
  const numbers = Array.from({ length: 1200 }, (_, number) => number)
  const roles = numbers.map((number) =>
    counted(appRole({ id: guid(number), value: `Role.${number}` }), 'id', count),
  )
  const assignments = numbers.slice(0, 1000).map((number) => {
    const [id, appRoleId] = [guid(0x10000 + number), guid(number)]
    return counted(appRoleAssignment({ id, appRoleId }), 'appRoleId', count)
  })
  const principal = servicePrincipal()
  const resource = { requestedAs: 'api://one', application: application({ appRoles: roles }) }
  const directory = new DirectoryCache(100_000)
  const objects = assignments.map((one) => ({ ...put('appRoleAssignment', one), mark: 'mark 1' }))
  directory.add([{ name: 'assignmentsOfPrincipal', key: clientPrincipal.id, objects }])
  const granted = (api = resource.application, forPrincipal = principal) => {
    reads = 0
    const found = grantedRoles(directory, client, {
      ...resource,
      application: api,
      principal: forPrincipal,
    })
    assert.ok(!(found instanceof Refused))
    return found
  }

  it('read each role and each assignment a few times, and not again until a change', () => {
    assert.deepEqual(
      granted(),
      numbers.slice(0, 1000).map((number) => `Role.${number}`),
    )
    assert.ok(reads < 5 * 2200, `${reads} reads`)
    assert.equal(granted().length, 1000)
    assert.equal(reads, 0)
  })

  it('keep the same frozen list until a change, so that a signer encodes it once', () => {
    assert.ok(Object.isFrozen(granted()))
    assert.equal(granted(), granted())
  })

  it('follow each change of the API and of the assignments', () => {
    const [, ...others] = roles
    const without = application({
      appRoles: [appRole({ id: guid(0), isEnabled: false }), ...others],
    })
    assert.equal(granted(without).length, 999)
    assert.equal(granted().length, 1000)
    assert.equal(granted(without, servicePrincipal({ id: guid(0xee) })).length, 0)
    const [first, second] = assignments
    assert.ok(first !== undefined && second !== undefined)
    directory.apply(2, [{ ...remove('appRoleAssignment', first.id), mark: 'mark 2' }])
    assert.equal(granted()[0], 'Role.1')
    const moved = put('appRoleAssignment', { ...second, resourceId: guid(0xee) })
    directory.apply(3, [{ ...moved, mark: 'mark 3' }])
    assert.equal(granted()[0], 'Role.2')
    assert.equal(granted().length, 998)
  })
})
