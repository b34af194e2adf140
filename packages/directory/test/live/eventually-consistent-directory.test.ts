import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { eventuallyConsistent } from '../../src/live/eventually-consistent-directory.ts'
import { put } from '../../src/model/directory-change.ts'

const earlyTime = new Date('2026-01-01T00:00:00Z')
const lateTime = new Date('2026-01-01T00:00:10Z')

const directory = new DirectoryIndex()
const api = { createdDateTime: earlyTime, identifierUris: ['api://a'] }
directory.apply(
  1,
  [
    put('tenant', tenant({ createdDateTime: lateTime })),
    put('application', application(api)),
    put('servicePrincipal', servicePrincipal({ createdDateTime: earlyTime })),
    put('appRoleAssignment', appRoleAssignment({ createdDateTime: earlyTime })),
    put(
      'application',
      application({
        id: guid(1),
        appId: guid(2),
        identifierUris: ['api://late'],
        createdDateTime: lateTime,
      }),
    ),
    put(
      'servicePrincipal',
      servicePrincipal({ id: guid(3), appId: guid(2), createdDateTime: lateTime }),
    ),
    put('appRoleAssignment', appRoleAssignment({ id: 'late', createdDateTime: lateTime })),
  ].map((change) => ({ ...change, mark: 'mark 1' })),
)

/** Every lookup of an early object and of a late one. */
const ways = (seen: ReturnType<typeof eventuallyConsistent>) => ({
  early: [
    seen.application(guid(0xa)),
    seen.applicationByAppId(guid(0xa0)),
    seen.servicePrincipal(guid(0xb)),
    seen.servicePrincipalByAppId(guid(1), guid(0xa0)),
    seen.servicePrincipalByName(guid(1), 'api://a'),
    seen.appRoleAssignment(guid(0xc)),
  ],
  late: [
    seen.application(guid(1)),
    seen.applicationByAppId(guid(2)),
    seen.servicePrincipal(guid(3)),
    seen.servicePrincipalByAppId(guid(1), guid(2)),
    seen.servicePrincipalByName(guid(1), guid(2)),
    seen.appRoleAssignment('late'),
  ],
  counts: [
    seen.applicationsByIdentifierUri('api://A').length,
    seen.applicationsByIdentifierUri('api://late').length,
    seen.assignmentsOfRole(guid(0xb), guid(0x51)).length,
    [...seen.servicePrincipalsOfApplication(guid(2))].length,
    seen.assignmentsOf(guid(0xb1)).length,
    seen.assignmentsTo(guid(0xb)).length,
  ],
})

describe('an eventually consistent directory', () => {
  it('hides objects that are younger than the delay from every lookup', () => {
    const { early, late, counts } = ways(eventuallyConsistent(directory, new Date(+lateTime - 1)))
    assert.ok(early.every((one) => one !== undefined))
    assert.ok(late.every((one) => one === undefined))
    assert.deepEqual(counts, [1, 0, 1, 0, 1, 1])
  })

  it('shows all other objects', () => {
    const seen = eventuallyConsistent(directory, lateTime)
    const { early, late, counts } = ways(seen)
    assert.ok([...early, ...late].every((one) => one !== undefined))
    assert.deepEqual(counts, [1, 1, 2, 1, 2, 2])
    assert.equal(seen.revision, 1)
    assert.equal(seen.markOf('application', guid(1)), 'mark 1')
    const hidden = eventuallyConsistent(directory, earlyTime)
    assert.equal(hidden.tenant('contoso.example')?.id, guid(1), 'tenants are always visible')
    assert.equal([...hidden.tenants()].length, 1)
  })
})
