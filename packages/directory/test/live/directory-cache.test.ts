import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { DirectoryCache } from '../../src/live/directory-cache.ts'
import { inTenant, type LookupName, NotLoaded } from '../../src/live/directory-lookup.ts'
import {
  type CommittedChange,
  type DirectoryChange,
  put,
  remove,
} from '../../src/model/directory-change.ts'

const at = (revision: number, ...changes: DirectoryChange[]): CommittedChange[] =>
  changes.map((change) => ({ ...change, mark: `mark ${revision}` }))

const api = application({ identifierUris: ['api://one'] })
const principal = servicePrincipal()
const assignment = appRoleAssignment()

function cacheWith(maxWeight = 1000) {
  const cache = new DirectoryCache(maxWeight)
  cache.reset(1)
  const add = (name: LookupName, key: string, ...changes: DirectoryChange[]) =>
    cache.add([{ name, key, objects: at(1, ...changes) }])
  return { cache, add }
}

const isNotLoaded = (read: () => unknown) => assert.throws(read, NotLoaded)

describe('a cache of the directory', () => {
  it('contains the requested tenants, by ID and by domain, and follows their changes', () => {
    const { cache, add } = cacheWith()
    for (const read of [() => cache.tenant(guid(1)), () => cache.tenant('contoso.example')])
      isNotLoaded(read)
    isNotLoaded(() => cache.tenants())
    add('tenant', guid(1), put('tenant', tenant()))
    assert.equal(cache.tenant(guid(1).toUpperCase())?.id, guid(1))
    isNotLoaded(() => cache.tenant('contoso.example'))
    add('tenantOfDomain', 'contoso.example', put('tenant', tenant()))
    add('tenantOfDomain', 'other.example')
    add('tenants', '', put('tenant', tenant()))
    assert.equal(cache.tenant('CONTOSO.example')?.id, guid(1))
    assert.equal(cache.tenant('other.example'), undefined)
    cache.apply(2, at(2, put('tenant', tenant({ domains: ['other.example'] }))))
    assert.equal(cache.tenant('contoso.example'), undefined)
    assert.equal(cache.tenant('other.example')?.id, guid(1))
    assert.equal(cache.markOf('tenant', guid(1)), 'mark 2')
    cache.apply(3, at(3, put('tenant', tenant({ id: guid(2), domains: [] }))))
    assert.equal(cache.tenants().length, 2)
    cache.apply(4, at(4, remove('tenant', guid(1))))
    isNotLoaded(() => cache.tenant(guid(1)))
    assert.equal(cache.tenant('other.example'), undefined)
    assert.equal(cache.tenants().length, 1)
  })

  it('finds a tenant by the domain that is derived from its ID, unless it has another one', () => {
    const { cache, add } = cacheWith()
    const computed = `${guid(1).replaceAll('-', '')}.onmicrosoft.com`
    isNotLoaded(() => cache.tenant(computed))
    add('tenant', guid(1), put('tenant', tenant()))
    assert.equal(cache.tenant(computed.toUpperCase())?.id, guid(1))
    const named = tenant({ domains: ['contoso.onmicrosoft.com'] })
    cache.apply(2, at(2, put('tenant', named)))
    assert.equal(cache.tenant(computed), undefined)
  })

  it('evicts unused tenants, and remembers a limited number of unknown ones', () => {
    const { cache, add } = cacheWith(100)
    add('tenant', guid(1), put('tenant', tenant({ domains: [] })))
    for (let number = 2; number < 20_000; number += 1) {
      const [id, unknown] = [guid(number), guid(0x100000 + number)]
      add('tenant', id, put('tenant', tenant({ id, domains: [] })))
      add('tenant', unknown)
      assert.equal(cache.tenant(unknown), undefined)
      assert.equal(cache.tenant(guid(1))?.id, guid(1))
      cache.trim()
    }
    assert.ok(cache.weight <= 100, `${cache.weight}`)
    isNotLoaded(() => cache.tenant(guid(2)))
    isNotLoaded(() => cache.tenant(guid(0x100002)))
  })

  const lookups: readonly (readonly [string, (cache: DirectoryCache) => unknown])[] = [
    ['application', (cache) => cache.application(api.id)],
    ['applicationByAppId', (cache) => cache.applicationByAppId(api.appId)],
    ['applicationsByIdentifierUri', (cache) => cache.applicationsByIdentifierUri('api://one')],
    ['servicePrincipal', (cache) => cache.servicePrincipal(principal.id)],
    ['servicePrincipalByAppId', (cache) => cache.servicePrincipalByAppId(guid(1), api.appId)],
    ['servicePrincipalByName', (cache) => cache.servicePrincipalByName(guid(1), 'api://one')],
    ['servicePrincipalsOfApplication', (cache) => cache.servicePrincipalsOfApplication(api.appId)],
    ['appRoleAssignment', (cache) => cache.appRoleAssignment(assignment.id)],
    ['assignmentsOf', (cache) => cache.assignmentsOf(assignment.principalId)],
    ['assignmentsOfRole', (cache) => cache.assignmentsOfRole(guid(0xb), guid(0x51))],
    ['assignmentsTo', (cache) => cache.assignmentsTo(guid(0xb))],
    ['markOf', (cache) => cache.markOf('application', api.id)],
  ]
  for (const [name, read] of lookups)
    it(`reports that ${name} is not loaded, never that it does not exist`, () =>
      isNotLoaded(() => read(cacheWith().cache)))

  const isAlone = new Set([
    ...['application', 'applicationByAppId', 'servicePrincipal', 'servicePrincipalByAppId'],
    ...['appRoleAssignment', 'markOf'],
  ])
  for (const [name, read] of lookups.filter(([name]) => name !== 'servicePrincipalByName'))
    it(`${isAlone.has(name) ? 'finds' : 'does not find'} ${name} after only its own commit`, () => {
      const { cache } = cacheWith()
      const changes = [put('application', api), put('servicePrincipal', principal)]
      cache.applyOwn(2, at(2, ...changes, put('appRoleAssignment', assignment)))
      if (isAlone.has(name)) assert.ok(read(cache))
      else isNotLoaded(() => read(cache))
    })

  it('follows its own commit when an object is removed or renamed', () => {
    const { cache, add } = cacheWith()
    add('application', api.id, put('application', api))
    const renamed = { ...api, uniqueName: 'orders', deletedDateTime: new Date() }
    cache.applyOwn(2, at(2, put('application', renamed), remove('servicePrincipal', principal.id)))
    assert.equal(cache.application(api.id)?.uniqueName, 'orders')
    assert.equal(cache.applicationByUniqueName(api.tenantId, 'orders')?.id, api.id)
    isNotLoaded(() => cache.applicationByAppId(api.appId))
    isNotLoaded(() => cache.servicePrincipal(principal.id))
  })

  it('remembers an empty lookup result until a change creates the object', () => {
    const { cache, add } = cacheWith()
    add('applicationOfAppId', api.appId)
    add('application', api.id)
    add('applicationsOfUri', 'api://one')
    assert.equal(cache.applicationByAppId(api.appId), undefined)
    assert.equal(cache.markOf('application', api.id), undefined)
    assert.deepEqual(cache.applicationsByIdentifierUri('API://one'), [])
    cache.apply(2, at(2, put('application', api)))
    assert.equal(cache.applicationByAppId(api.appId), api)
    assert.equal(cache.application(api.id), api)
    assert.deepEqual(cache.applicationsByIdentifierUri('api://one'), [api])
    assert.equal(cache.markOf('application', api.id), 'mark 2')
  })

  it('replaces a changed object in the results of all its lookups', () => {
    const { cache, add } = cacheWith()
    add('applicationOfAppId', api.appId, put('application', api))
    cache.apply(2, at(2, put('application', { ...api, displayName: 'Renamed' })))
    assert.equal(cache.applicationByAppId(api.appId)?.displayName, 'Renamed')
    assert.equal(cache.application(api.id)?.displayName, 'Renamed')
    assert.equal(cache.markOf('application', api.id), 'mark 2')
  })

  it('no longer finds an object under its former name', () => {
    const { cache, add } = cacheWith()
    add('applicationsOfUri', 'api://one', put('application', api))
    add(
      'servicePrincipalInTenant',
      inTenant(guid(1), api.appId),
      put('servicePrincipal', principal),
    )
    assert.equal(cache.servicePrincipalByName(guid(1), 'api://one'), principal)
    cache.apply(2, at(2, put('application', { ...api, identifierUris: ['api://two'] })))
    assert.deepEqual(cache.applicationsByIdentifierUri('api://one'), [])
    isNotLoaded(() => cache.applicationsByIdentifierUri('api://two'))
    const deletedDateTime = new Date()
    cache.apply(3, at(3, put('servicePrincipal', { ...principal, deletedDateTime })))
    assert.equal(cache.servicePrincipalByAppId(guid(1), api.appId), undefined)
  })

  it('adds objects to a result and removes them, in the order of their IDs', () => {
    const { cache, add } = cacheWith()
    const { principalId } = assignment
    const [first, last] = [guid(0), 'f'.repeat(36)].map((id) => ({ ...assignment, id }))
    assert.ok(first !== undefined && last !== undefined)
    add('assignmentsOfPrincipal', principalId)
    for (const [index, one] of [assignment, last, first].entries()) {
      cache.apply(index + 2, at(index + 2, put('appRoleAssignment', one)))
    }
    assert.deepEqual(cache.assignmentsOf(principalId), [first, assignment, last])
    cache.apply(5, at(5, remove('appRoleAssignment', assignment.id)))
    assert.deepEqual(cache.assignmentsOf(principalId), [first, last])
    cache.apply(6, at(6, ...[first, last].map(({ id }) => remove('appRoleAssignment', id))))
    assert.deepEqual(cache.assignmentsOf(principalId), [])
  })

  it('ignores a new object if no cached result contains it', () => {
    const { cache } = cacheWith()
    const before = cache.weight
    cache.apply(2, at(2, put('appRoleAssignment', assignment)))
    assert.equal(cache.weight, before)
    isNotLoaded(() => cache.assignmentsOf(assignment.principalId))
  })

  it('loads a result of a thousand objects again when it grows', () => {
    const { cache, add } = cacheWith(10_000)
    const { principalId } = assignment
    const thousand = Array.from({ length: 1000 }, (_, index) => ({
      ...assignment,
      id: guid(index),
    }))
    const another = { ...assignment, id: guid(1000) }
    const puts = thousand.map((one) => put('appRoleAssignment', one))
    add('assignmentsOfPrincipal', principalId, ...puts.slice(1))
    cache.apply(2, at(2, put('appRoleAssignment', thousand[0] ?? assignment)))
    assert.equal(cache.assignmentsOf(principalId).length, 1000)
    cache.apply(3, at(3, put('appRoleAssignment', another)))
    isNotLoaded(() => cache.assignmentsOf(principalId))
  })

  it('caches a long list until the directory changes, but keeps its objects', () => {
    const { cache, add } = cacheWith()
    const { principalId } = assignment
    const ids = Array.from({ length: 100 }, (_, index) => guid(index))
    const puts = ids.map((id) => put('appRoleAssignment', { ...assignment, id }))
    add('assignmentsOfPrincipal', principalId, ...puts)
    const found = cache.assignmentsOf(principalId)
    assert.equal(cache.assignmentsOf(principalId), found)
    const reads = new Set<string>()
    cache.recording(reads, (directory) => directory.assignmentsOf(principalId))
    for (const id of ids) assert.ok(reads.has(`appRoleAssignment ${id}`))
    cache.apply(
      2,
      at(2, put('appRoleAssignment', { ...assignment, id: guid(7), appRoleId: guid(1) })),
    )
    assert.equal(cache.assignmentsOf(principalId)[7]?.appRoleId, guid(1))
  })

  it('loads a result again after one of its objects was evicted', () => {
    const { cache, add } = cacheWith(3)
    const { principalId } = assignment
    add('assignmentsOfPrincipal', principalId, put('appRoleAssignment', assignment))
    add('application', api.id, put('application', api))
    cache.trim()
    isNotLoaded(() => cache.assignmentsOf(principalId))
  })

  it('finds an API by its identifier URI in any case', () => {
    const { cache, add } = cacheWith()
    add('applicationsOfUri', 'api://one', put('application', api))
    add(
      'servicePrincipalInTenant',
      inTenant(guid(1), api.appId),
      put('servicePrincipal', principal),
    )
    assert.equal(cache.servicePrincipalByName(guid(1), 'API://one'), principal)
    assert.equal(cache.servicePrincipalByName(guid(1), 'api://one'), principal)
  })

  it('stays within its weight limit, and keeps the most recently used objects', () => {
    const { cache, add } = cacheWith(20)
    for (let number = 0; number < 100; number += 1) {
      const one = servicePrincipal({ id: guid(0x1000 + number), appId: guid(0x2000 + number) })
      add('servicePrincipal', one.id, put('servicePrincipal', one))
      assert.equal(cache.servicePrincipal(guid(0x1000))?.id, guid(0x1000))
      cache.trim()
    }
    assert.equal(cache.weight, 20)
    assert.equal(cache.servicePrincipal(guid(0x1000))?.id, guid(0x1000))
    isNotLoaded(() => cache.servicePrincipal(guid(0x1001)))
  })

  it('keeps a client, however many unknown clients appear', () => {
    const { cache, add } = cacheWith(100)
    add('applicationOfAppId', api.appId, put('application', api))
    const { weight } = cache
    for (let number = 0; number < 50_000; number += 1) {
      add('applicationOfAppId', `unknown ${number}`)
      cache.trim()
    }
    assert.equal(cache.weight, weight)
    assert.equal(cache.applicationByAppId(api.appId), api)
    isNotLoaded(() => cache.applicationByAppId('unknown 0'))
    assert.equal(cache.applicationByAppId('unknown 49999'), undefined)
  })

  it('is empty after a reset', () => {
    const { cache, add } = cacheWith()
    add('application', api.id, put('application', api))
    cache.reset(7)
    assert.equal(cache.revision, 7)
    assert.equal(cache.weight, 0)
    isNotLoaded(() => cache.application(api.id))
  })
})
