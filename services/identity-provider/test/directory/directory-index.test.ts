import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CommittedChange,
  type DirectoryChange,
  put,
  remove,
} from '../../src/directory/directory-change.ts'
import { DirectoryIndex } from '../../src/directory/directory-index.ts'
import { application, appRoleAssignment, guid, servicePrincipal, tenant } from './sample.ts'

const at = (revision: number, ...changes: DirectoryChange[]): CommittedChange[] =>
  changes.map((change) => ({ ...change, revision }))

const api = application({ identifierUris: ['api://one', 'https://contoso.example/one'] })
const principal = servicePrincipal()

function directoryOf(...changes: DirectoryChange[]): DirectoryIndex {
  const directory = new DirectoryIndex()
  directory.apply(1, at(1, ...changes))
  return directory
}

describe('a directory', () => {
  it('knows a tenant by id and by domain, in any case', () => {
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

  it('knows an API by application id in any case, and by each identifier URI exactly', () => {
    const directory = directoryOf(put('application', api), put('servicePrincipal', principal))
    for (const name of [api.appId, api.appId.toUpperCase(), ...api.identifierUris])
      assert.equal(directory.servicePrincipalByName(guid(1), name), principal, name)
    for (const name of ['API://one', 'api://one/', principal.id])
      assert.equal(directory.servicePrincipalByName(guid(1), name), undefined, name)
  })

  it('keeps the walls between tenants: an API without a service principal there is unknown', () => {
    const directory = directoryOf(put('application', api), put('servicePrincipal', principal))
    assert.equal(directory.servicePrincipalByName(guid(2), 'api://one'), undefined)
    assert.equal(directory.servicePrincipalByAppId(guid(2), api.appId), undefined)
    assert.deepEqual([...directory.applicationsOf(guid(2))], [])
  })

  it('tells two tenants apart that use the same identifier URI', () => {
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

  it('finds a soft-deleted object by its object id only', () => {
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

  it('follows a change of every name, and forgets the names from before', () => {
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

  it('knows the revision of every object, until it is gone', () => {
    const directory = directoryOf(put('tenant', tenant()), put('application', api))
    directory.apply(5, at(4, put('application', { ...api, displayName: 'Renamed' })))
    assert.equal(directory.revision, 5)
    assert.equal(directory.revisionOf('tenant', tenant().id), 1)
    assert.equal(directory.revisionOf('application', api.id), 4)
    directory.apply(6, at(6, remove('application', api.id)))
    assert.equal(directory.revisionOf('application', api.id), undefined)
  })
})
