// Folder: What applications and service principals have in common: sets, lookups, routes, owners, secrets and deletion.

import { azurePrincipals, type Directory, type DirectoryObjects, put } from '@greeting/directory'
import type { EntitySet, Expansions } from '../../odata/entity-set.ts'
import { listChanges } from '../../odata/list-changes.ts'
import { listStored } from '../../odata/list-stored.ts'
import { showEntity, showProperty } from '../../odata/show-entity.ts'
import {
  type Call,
  type Change,
  type ChangeOperation,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  operation,
  type ReadOperation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import {
  applicationExpansions,
  applications,
  principalExpansions,
  servicePrincipals,
} from './entity-sets.ts'
import { findApplication, findServicePrincipal, listedIn } from './find-object.ts'
import { type DirectoryObject, endsOfList } from './object-type.ts'

/** The kinds of objects that have routes, owners, secrets and properties in common. */
export type ObjectKind = 'application' | 'servicePrincipal'

/** A kind of objects: its names, its set, and how a request finds one. */
export type ObjectRow<Kind extends ObjectKind> = {
  readonly kind: Kind
  readonly one: string
  readonly many: string
  readonly set: EntitySet<DirectoryObjects[Kind]>
  readonly expansions: Expansions<DirectoryObjects[Kind]>
  readonly find: (call: Call) => DirectoryObjects[Kind]
  /** The objects of a tenant that are not stored. */
  readonly standingOf?: (tenantId: string) => readonly DirectoryObjects[Kind][]
}

export const applicationRow: ObjectRow<'application'> = {
  kind: 'application',
  one: 'an application',
  many: 'applications',
  set: applications,
  expansions: applicationExpansions,
  find: findApplication,
}

export const principalRow: ObjectRow<'servicePrincipal'> = {
  kind: 'servicePrincipal',
  one: 'a service principal',
  many: 'service principals',
  set: servicePrincipals,
  expansions: principalExpansions,
  find: findServicePrincipal,
  standingOf: azurePrincipals,
}

type KindChange = { readonly summary: string; readonly change: (call: ChangingCall) => Change }

/** Creates the change that stores one object. */
export const stored = <Kind extends keyof DirectoryObjects>(
  kind: Kind,
  object: DirectoryObjects[Kind],
  answer: Change['answer'] = { status: 204 },
): Change => ({ changes: [put(kind, object)], target: object.id, answer })

/** Creates the change of an object that the key in the path names and that does not exist yet. */
export const createdBy = (
  { action, change }: Pick<ChangeOperation, 'action' | 'change'>,
  call: ChangingCall,
  path: string,
  key: Readonly<Record<string, string>>,
): Change => ({ ...change({ ...call, path, body: { ...Object(call.body), ...key } }), action })

/** The operations on objects of one kind. The kinds differ only in their changes. */
export const objectOperations = <Kind extends ObjectKind>(
  { kind, one, many, set, expansions, find, standingOf }: ObjectRow<Kind>,
  { create, update, remove }: Readonly<Record<'create' | 'update' | 'remove', KindChange>>,
): DirectoryOperation[] => [
  operation(`GET /${set.name}`, readsApplications, {
    ends: endsOfList(),
    access: 'read',
    summary: `Lists the ${many} of the tenant, or counts them.`,
    list: (call) => {
      const standing = standingOf?.(call.caller.tenantId)
      return listStored(call, set, { kind, expansions, isListed: listedIn(call), standing })
    },
  }),
  operation(`GET /${set.name}/delta`, readsApplications, {
    summary: `Lists the ${many} that changed since an earlier request.`,
    list: (call) => listChanges(call, set, kind),
  }),
  operation(`POST /${set.name}`, writesApplications, {
    access: 'create',
    action: `${kind}.create`,
    ...create,
  }),
  operation(`GET /${set.name}/{id}`, readsApplications, {
    access: 'read',
    summary: `Shows ${one}.`,
    read: (call) => showEntity(call, set, find(call), expansions),
  }),
  operation(`PATCH /${set.name}/{id}`, writesApplications, {
    access: 'update',
    action: `${kind}.update`,
    ...update,
  }),
  operation(`DELETE /${set.name}/{id}`, writesApplications, {
    access: 'write',
    action: `${kind}.delete`,
    ...remove,
  }),
]

const maxFound = 1000

/** Searches all objects of the tenant, up to a limit, because no index leads to the result. */
export async function examineObjects<Found>(
  { caller: { tenantId }, createdUntil, list }: ListCall,
  kinds: readonly ObjectKind[],
  find: (object: DirectoryObject, directory: Directory) => readonly Found[],
): Promise<Found[]> {
  const found: Found[] = []
  const matches = (...of: Parameters<typeof find>) => find(...of).length > 0
  const all = { tenantId, createdUntil, conditions: [], isIndexed: false, isCounted: false }
  for (const kind of kinds)
    for (let after: string | undefined, isLast = false; !isLast && found.length < maxFound; ) {
      const page = await list({ ...all, kind, matches, after, limit: 100 })
      found.push(...page.objects.flatMap((object) => find(object, page.directory)))
      after = page.next
      isLast = after === undefined
    }
  return found
}

const propertyOperation = <Kind extends ObjectKind>({
  one,
  set,
  find,
}: ObjectRow<Kind>): ReadOperation =>
  operation(`GET /${set.name}/{id}/{property}`, readsApplications, {
    properties: Object.keys(set.properties),
    summary: `Shows one property of ${one}.`,
    read: (call) => showProperty(call, set, find(call)),
  })

/** The operations that show one property of an object, at a separate path. */
export const propertyOperations: readonly ReadOperation[] = [
  propertyOperation(applicationRow),
  propertyOperation(principalRow),
]
