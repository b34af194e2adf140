import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CommittedChange,
  type DirectoryChange,
  put,
  remove,
} from '../../src/directory/directory-change.ts'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../directory/sample.ts'
import { DirectoryIndex } from './directory-index.ts'

const at = (revision: number, ...changes: DirectoryChange[]): CommittedChange[] =>
  changes.map((change) => ({ ...change, revision }))

const api = application({ identifierUris: ['api://one', 'https://contoso.example/one'] })
const principal = servicePrincipal()

function directoryOf(...changes: DirectoryChange[]): DirectoryIndex {
  const directory = new DirectoryIndex()
  directory.apply(1, at(1, ...changes))
  return directory
}

describe('a complete directory in memory', () => {
  it('finds a tenant by ID and by domain, in any case', () => {
    const directory = directoryOf(put('tenant', tenant({ id: guid(0xabc) })))
    for (const name of [
      guid(0xabc),
      guid(0xabc).toUpperCase(),
      'contoso.example',
      'CONTOSO.Example',
    ])
      assert.equal(directory.tenant(name)?.displayName, 'Contoso', name)
    assert.equal(directory.tenant('contoso'), undefined)
  })

  it('finds an API by application ID in any case, and by its exact identifier URIs', () => {
    const directory = directoryOf(put('application', api), put('servicePrincipal', principal))
    for (const name of [api.appId, api.appId.toUpperCase(), ...api.identifierUris])
      assert.equal(directory.servicePrincipalByName(guid(1), name), principal, name)
    for (const name of ['API://one', 'api://one/', principal.id])
      assert.equal(directory.servicePrincipalByName(guid(1), name), undefined, name)
  })

  it('does not find an API in a tenant without its service principal', () => {
    const directory = directoryOf(put('application', api), put('servicePrincipal', principal))
    assert.equal(directory.servicePrincipalByName(guid(2), 'api://one'), undefined)
    assert.equal(directory.servicePrincipalByAppId(guid(2), api.appId), undefined)
    assert.deepEqual([...directory.applicationsOf(guid(2))], [])
  })

  it('distinguishes two tenants that use the same identifier URI', () => {
    const other = application({
      id: guid(0xd),
      tenantId: guid(2),
      appId: guid(0xd0),
      identifierUris: ['api://one'],
    })
    const there = servicePrincipal({ id: guid(0xe), tenantId: guid(2), appId: guid(0xd0) })
    const directory = directoryOf(
      put('application', api),
      put('application', other),
      put('servicePrincipal', principal),
      put('servicePrincipal', there),
    )
    assert.equal(directory.servicePrincipalByName(guid(1), 'api://one'), principal)
    assert.equal(directory.servicePrincipalByName(guid(2), 'api://one'), there)
  })

  it('finds every service principal of an application, in all tenants, deleted or not', () => {
    const there = servicePrincipal({ id: guid(0xe), tenantId: guid(2) })
    const gone = servicePrincipal({ id: guid(0xf), deletedDateTime: new Date('2026-01-03') })
    const directory = directoryOf(
      ...[principal, there, gone].map((one) => put('servicePrincipal', one)),
    )
    assert.deepEqual(
      [...directory.servicePrincipalsOfApplication(principal.appId.toUpperCase())],
      [principal, there, gone],
    )
  })

  it('finds a soft-deleted object by its object ID only', () => {
    const deletedDateTime = new Date()
    const directory = directoryOf(
      put('application', { ...api, deletedDateTime }),
      put('servicePrincipal', { ...principal, deletedDateTime }),
    )
    assert.equal(directory.applicationByAppId(api.appId), undefined)
    assert.equal(directory.servicePrincipalByName(guid(1), api.appId), undefined)
    assert.equal(directory.application(api.id)?.deletedDateTime, deletedDateTime)
    assert.equal([...directory.applicationsOf(guid(1))].length, 1)
    assert.equal([...directory.servicePrincipalsOf(guid(1))].length, 1)
  })

  it('finds an API by its new names only', () => {
    const directory = directoryOf(put('application', api), put('servicePrincipal', principal))
    directory.apply(2, at(2, put('application', { ...api, identifierUris: ['api://two'] })))
    assert.equal(directory.servicePrincipalByName(guid(1), 'api://one'), undefined)
    assert.equal(directory.servicePrincipalByName(guid(1), 'api://two'), principal)
  })

  it('lists assignments from the side of the principal and of the resource', () => {
    const assignment = appRoleAssignment()
    const directory = directoryOf(put('appRoleAssignment', assignment))
    assert.deepEqual(directory.assignmentsOf(assignment.principalId), [assignment])
    assert.deepEqual(directory.assignmentsTo(assignment.resourceId), [assignment])
    directory.apply(2, at(2, remove('appRoleAssignment', assignment.id)))
    assert.deepEqual(directory.assignmentsOf(assignment.principalId), [])
    assert.deepEqual(directory.assignmentsTo(assignment.resourceId), [])
    assert.equal(directory.appRoleAssignment(assignment.id), undefined)
  })

  it('has the revision of every object until it is removed', () => {
    const directory = directoryOf(put('tenant', tenant()), put('application', api))
    directory.apply(5, at(4, put('application', { ...api, displayName: 'Renamed' })))
    assert.equal(directory.revision, 5)
    assert.equal(directory.revisionOf('tenant', tenant().id), 1)
    assert.equal(directory.revisionOf('application', api.id), 4)
    directory.apply(6, at(6, remove('application', api.id)))
    assert.equal(directory.revisionOf('application', api.id), undefined)
  })
})
