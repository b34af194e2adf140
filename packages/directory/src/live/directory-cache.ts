import { caseless } from '../model/application/identifier-uri-rules.ts'
import { azureApi, azurePrincipal } from '../model/azure-apis.ts'
import { type Directory, findPrincipalByName } from '../model/directory.ts'
import type { CommittedChange, DirectoryKind, DirectoryObjects } from '../model/directory-change.ts'
import { domainsOf, type Tenant, tenantIdIn } from '../model/tenant.ts'
import {
  type DirectoryLookup,
  directoryLookups,
  inTenant,
  type LoadedLookup,
  type LookupName,
  lookupId,
  lookupsOf,
  NotLoaded,
  roleOf,
} from './directory-lookup.ts'
import { weightOf } from './entry-weight.ts'
import { LeastRecentlyUsed } from './least-recently-used.ts'

/** An object with its last change, or the IDs of the objects that a lookup finds. */
type Entry = {
  readonly object?: CommittedChange
  readonly ids?: readonly string[]
  /** The objects of a long answer, and the state to which they belong. */
  found?: { readonly state: number; readonly objects: readonly unknown[] }
}

/** Lookups without a result have their own limit: unknown client IDs must not evict clients. */
const maxEmptyLookups = 10_000

/** A longer answer is collected once for each state: a token needs it, and most tokens are alike. */
const maxCollectedIds = 32

/** A longer answer is loaded again when it gets another object: a copy for each change costs more. */
const maxExtendedIds = 1000

/**
 * The part of a directory that is in memory, as of one revision.
 *
 * A lookup whose answer is not in memory throws `NotLoaded`. `trim` removes what was not used for the longest time.
 */
export class DirectoryCache implements Directory {
  revision = 0

  /** Counts the changes of the cache. */
  #state = 0
  readonly #entries: LeastRecentlyUsed<Entry>
  readonly #emptyLookups = new LeastRecentlyUsed<true>(maxEmptyLookups)
  /** The names of what the present function reads; see `recording`. */
  #reads: Set<string> | undefined
  /** The lookups without an answer in memory; see `missing`. */
  #missing: Map<string, DirectoryLookup> | undefined

  /** @param maxWeight the limit that `trim` establishes; see `weightOf` */
  constructor(maxWeight: number) {
    this.#entries = new LeastRecentlyUsed<Entry>(maxWeight, weightOf)
  }

  /** The weight of the entries: objects, their parts, and the entries of indexes. */
  get weight(): number {
    return this.#entries.weight
  }

  /** Removes everything, and begins at a revision. */
  reset(revision: number): void {
    this.#entries.clear()
    this.#emptyLookups.clear()
    this.revision = revision
    this.#state += 1
  }

  /** Follows committed changes to a later revision, in one turn of the event loop. */
  apply(revision: number, changes: Iterable<CommittedChange>): void {
    for (const change of changes) this.#replace(change)
    this.revision = revision
    this.#state += 1
  }

  /**
   * Follows a commit of this process. Its objects stay in memory, as the answers of their unique lookups:
   * the client that wrote an object usually reads it next.
   */
  applyOwn(revision: number, changes: readonly CommittedChange[]): void {
    this.apply(revision, changes)
    for (const change of changes) {
      if (change.value === null) continue
      const answers = lookupsOf(change).filter(({ name }) => directoryLookups[name].isUnique)
      this.add(answers.map((lookup) => ({ ...lookup, objects: [change] })))
    }
  }

  /** Adds complete answers as of the present revision. */
  add(loaded: Iterable<LoadedLookup>): void {
    for (const lookup of loaded) {
      for (const object of lookup.objects)
        this.#entries.set(objectKey(object.kind, object.id), { object })
      this.#addAnswer(lookup)
    }
  }

  /**
   * Calls a function, and adds the names of all that it reads: each lookup, and each object that a lookup
   * found. The lookups must come before its first `await`.
   */
  recording<Result>(reads: Set<string>, decide: (directory: Directory) => Result): Result {
    this.#reads = reads
    try {
      return decide(this)
    } finally {
      this.#reads = undefined
    }
  }

  /**
   * Collects the lookups that a pure function needs next and that are not in memory, so that many objects take
   * one load: the function goes on as if each of them found nothing, and its result is thrown away.
   *
   * @param first one of them
   */
  missing(decide: (directory: DirectoryCache) => unknown, first: DirectoryLookup) {
    const missing = new Map([[lookupId(first), first]])
    this.#missing = missing
    try {
      Promise.resolve(decide(this)).catch(() => undefined)
    } catch {
      // The error of a state that does not exist.
    } finally {
      this.#missing = undefined
    }
    return [...missing.values()]
  }

  /** @throws {NotLoaded} unless missing lookups are collected */
  #miss(lookup: DirectoryLookup): undefined {
    if (this.#missing === undefined) throw new NotLoaded(lookup)
    this.#missing.set(lookupId(lookup), lookup)
  }

  /** Removes the least recently used entries above the limit. */
  trim(): void {
    this.#entries.trim()
    this.#emptyLookups.trim()
  }

  tenant(idOrDomain: string): Tenant | undefined {
    const name = idOrDomain.toLowerCase()
    const id = tenantIdIn(name)
    if (id === undefined) return this.#find<'tenant'>('tenantOfDomain', name)[0]
    const [tenant] = this.#find<'tenant'>('tenant', id)
    return tenant && (id === name || domainsOf(tenant).includes(name)) ? tenant : undefined
  }

  tenants = () => this.#find<'tenant'>('tenants', '')

  application: Directory['application'] = (id) =>
    this.#find<'application'>('application', id.toLowerCase())[0]
  applicationByAppId: Directory['applicationByAppId'] = (appId) =>
    this.#find<'application'>('applicationOfAppId', appId.toLowerCase())[0] ?? azureApi(appId)
  applicationByUniqueName: Directory['applicationByUniqueName'] = (tenantId, uniqueName) =>
    this.#find<'application'>('applicationOfUniqueName', inTenant(tenantId, uniqueName))[0]
  applicationsByIdentifierUri: Directory['applicationsByIdentifierUri'] = (uri) =>
    this.#find<'application'>('applicationsOfUri', caseless(uri))

  servicePrincipal: Directory['servicePrincipal'] = (id) =>
    this.#find<'servicePrincipal'>('servicePrincipal', id.toLowerCase())[0]
  servicePrincipalByAppId: Directory['servicePrincipalByAppId'] = (tenantId, appId) => {
    const key = inTenant(tenantId, appId.toLowerCase())
    const [found] = this.#find<'servicePrincipal'>('servicePrincipalInTenant', key)
    return found ?? azurePrincipal(tenantId, appId)
  }
  servicePrincipalByName: Directory['servicePrincipalByName'] = (tenantId, name) =>
    findPrincipalByName(this, tenantId, name)
  servicePrincipalsOfApplication: Directory['servicePrincipalsOfApplication'] = (appId) =>
    this.#find<'servicePrincipal'>('servicePrincipalsOfApplication', appId.toLowerCase())
  agentsOf: Directory['agentsOf'] = (blueprintAppId) =>
    this.#find<'servicePrincipal'>('agentsOfBlueprint', blueprintAppId.toLowerCase())

  appRoleAssignment: Directory['appRoleAssignment'] = (id) =>
    this.#find<'appRoleAssignment'>('appRoleAssignment', id)[0]
  assignmentsOf: Directory['assignmentsOf'] = (principalId) =>
    this.#find<'appRoleAssignment'>('assignmentsOfPrincipal', principalId)
  assignmentsOfRole: Directory['assignmentsOfRole'] = (resourceId, appRoleId) =>
    this.#find<'appRoleAssignment'>('assignmentsOfRole', roleOf(resourceId, appRoleId))
  assignmentsTo: Directory['assignmentsTo'] = (resourceId) =>
    this.#find<'appRoleAssignment'>('assignmentsToResource', resourceId)

  markOf: Directory['markOf'] = (kind, id) => this.#object(kind, id)?.mark

  /** Whether a tenant is in memory, with the same domains. */
  keepsDomains({ domains, id }: Tenant): boolean {
    const known = this.#entries.peek(objectKey('tenant', id))?.object?.value as Tenant | undefined
    return known !== undefined && String(known.domains) === String(domains)
  }

  /** Whether an object is in memory, as is each object that the current function has read. */
  has({ kind, id }: Pick<CommittedChange, 'kind' | 'id'>): boolean {
    return this.#entries.peek(objectKey(kind, id)) !== undefined
  }

  /** The tenant of an object; undefined when it does not exist. */
  tenantOf(kind: Exclude<DirectoryKind, 'tenant'>, id: string): string | undefined {
    const object = this.#object(kind, id)
    return object?.kind === 'tenant' ? object.id : object?.value?.tenantId
  }

  #object(kind: DirectoryKind, id: string): CommittedChange | undefined {
    this.#reads?.add(objectKey(kind, id))
    const entry = this.#entries.use(objectKey(kind, id))
    if (entry !== undefined) return entry.object
    const lookup: DirectoryLookup = { name: kind, key: id }
    if (this.#emptyLookups.use(lookupId(lookup)) === undefined) this.#miss(lookup)
    return undefined
  }

  #find<Kind extends DirectoryKind>(
    name: LookupName,
    key: string,
  ): readonly DirectoryObjects[Kind][] {
    const lookup: DirectoryLookup = { name, key }
    const id = lookupId(lookup)
    this.#reads?.add(id)
    if (this.#emptyLookups.use(id) !== undefined) return []
    const entry = this.#entries.use(id)
    if (entry === undefined) return this.#miss(lookup) ?? []
    if (entry.object !== undefined) return [entry.object.value as DirectoryObjects[Kind]]
    // Objects change with the state only. A recorded read needs the name of each.
    if (entry.found?.state === this.#state && this.#reads === undefined)
      return entry.found.objects as readonly DirectoryObjects[Kind][]
    const { kind, keysOf } = directoryLookups[name]
    const found: DirectoryObjects[Kind][] = []
    for (const objectId of entry.ids ?? []) {
      const object = this.#entries.use(objectKey(kind, objectId))?.object
      // Deleted, or evicted: the answer is loaded again.
      if (object === undefined) return this.#miss(lookup) ?? []
      this.#reads?.add(objectKey(kind, objectId))
      const value = object.value as DirectoryObjects[Kind]
      // After a change, the object may not belong to this answer any more.
      const keys = (keysOf as (value: unknown) => readonly string[])(value)
      if (keys.includes(key)) found.push(value)
    }
    if (found.length > maxCollectedIds) entry.found = { state: this.#state, objects: found }
    return found
  }

  #addAnswer(lookup: LoadedLookup): void {
    const id = lookupId(lookup)
    this.#emptyLookups.delete(id)
    if (lookup.objects.length === 0) {
      this.#entries.delete(id)
      this.#emptyLookups.set(id, true)
    } else if (directoryLookups[lookup.name].kind !== lookup.name) {
      this.#entries.set(id, { ids: lookup.objects.map((object) => object.id) })
    }
  }

  #replace(change: CommittedChange): void {
    const key = objectKey(change.kind, change.id)
    const before = this.#entries.peek(key)?.object
    if (change.value === null) {
      this.#entries.delete(key)
      for (const lookup of before === undefined ? [] : lookupsOf(before))
        this.#removeFrom(lookup, change.id)
      return
    }
    const isInAnswer = lookupsOf(change).map((lookup) => this.#addTo(lookup, change.id))
    if (before !== undefined || isInAnswer.includes(true))
      this.#entries.set(key, { object: change })
  }

  /** Adds an object to an answer in memory. Returns whether there is such an answer. */
  #addTo(lookup: DirectoryLookup, objectId: string): boolean {
    const id = lookupId(lookup)
    const wasEmpty = this.#emptyLookups.peek(id) !== undefined
    this.#emptyLookups.delete(id)
    const ids = wasEmpty ? [] : this.#entries.peek(id)?.ids
    if (ids === undefined) return false
    if (directoryLookups[lookup.name].kind === lookup.name || ids.includes(objectId)) return true
    if (ids.length >= maxExtendedIds) this.#entries.delete(id)
    else this.#entries.set(id, { ids: [...ids, objectId].sort() })
    return ids.length < maxExtendedIds
  }

  #removeFrom(lookup: DirectoryLookup, objectId: string): void {
    const id = lookupId(lookup)
    const ids = this.#entries.peek(id)?.ids
    if (ids !== undefined) this.#entries.set(id, { ids: ids.filter((one) => one !== objectId) })
  }
}

/** The same text as the ID of the lookup by object ID. */
const objectKey = (kind: DirectoryKind, id: string): string => `${kind} ${id}`
