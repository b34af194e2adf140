import { caseless } from '../model/application/identifier-uri-rules.ts'
import type { CommittedChange, DirectoryKind, DirectoryObjects } from '../model/directory-change.ts'

/** The objects of one kind that have one value, by the name of the value. */
type LookupRow<Kind extends DirectoryKind> = {
  readonly kind: Kind
  /** The values of an object, under which the lookup finds it. */
  readonly keysOf: (object: DirectoryObjects[Kind]) => readonly string[]
  /** Whether the lookup finds one object at most. */
  readonly isUnique: boolean
}

const row = <Kind extends DirectoryKind>(
  kind: Kind,
  keysOf: LookupRow<Kind>['keysOf'],
): LookupRow<Kind> => ({ kind, keysOf, isUnique: false })

const uniqueRow: typeof row = (kind, keysOf) => ({ ...row(kind, keysOf), isUnique: true })

export const directoryLookups = {
  tenant: uniqueRow('tenant', ({ id }) => [id]),
  tenantOfDomain: uniqueRow('tenant', ({ domains }) => domains),
  /** All tenants, by an empty text. */
  tenants: row('tenant', () => ['']),
  application: uniqueRow('application', ({ id }) => [id]),
  applicationOfAppId: uniqueRow('application', (one) =>
    one.deletedDateTime === null ? [one.appId] : [],
  ),
  applicationOfUniqueName: uniqueRow('application', ({ tenantId, uniqueName }) =>
    uniqueName === null ? [] : [inTenant(tenantId, uniqueName)],
  ),
  applicationsOfUri: row('application', ({ identifierUris }) => [
    ...new Set(identifierUris.map(caseless)),
  ]),
  servicePrincipal: uniqueRow('servicePrincipal', ({ id }) => [id]),
  servicePrincipalInTenant: uniqueRow('servicePrincipal', (one) =>
    one.deletedDateTime === null ? [inTenant(one.tenantId, one.appId)] : [],
  ),
  servicePrincipalsOfApplication: row('servicePrincipal', ({ appId }) => [appId]),
  agentsOfBlueprint: row('servicePrincipal', ({ agentIdentityBlueprintId }) =>
    agentIdentityBlueprintId === null ? [] : [agentIdentityBlueprintId],
  ),
  appRoleAssignment: uniqueRow('appRoleAssignment', ({ id }) => [id]),
  assignmentsOfPrincipal: row('appRoleAssignment', ({ principalId }) => [principalId]),
  assignmentsOfRole: row('appRoleAssignment', ({ resourceId, appRoleId }) => [
    roleOf(resourceId, appRoleId),
  ]),
  assignmentsToResource: row('appRoleAssignment', ({ resourceId }) => [resourceId]),
} as const

export type LookupName = keyof typeof directoryLookups

/** A directory query: the name of a lookup, and a value. */
export type DirectoryLookup = { readonly name: LookupName; readonly key: string }

/** A lookup with its complete result. */
export type LoadedLookup = DirectoryLookup & {
  readonly objects: readonly CommittedChange[]
}

/** The key of an object in its tenant: the tenant ID, and a name that is unique there. */
export const inTenant = (tenantId: string, name: string): string => `${tenantId} ${name}`

/** The key of the assignments of one role. */
export const roleOf = (resourceId: string, appRoleId: string): string =>
  `${resourceId} ${appRoleId}`

/** The ID of a lookup, as a key of maps. */
export const lookupId = ({ name, key }: DirectoryLookup): string => `${name} ${key}`

export function lookupsOf({ kind, value }: CommittedChange): DirectoryLookup[] {
  if (value === null) return []
  return Object.entries(directoryLookups).flatMap(([name, lookup]) =>
    lookup.kind === kind
      ? (lookup as LookupRow<DirectoryKind>)
          .keysOf(value)
          .map((key) => ({ name: name as LookupName, key }))
      : [],
  )
}

/**
 * The error of a lookup whose result is not in memory. The directory store catches it, loads the
 * result, and repeats the function. It never leaves the store.
 */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
  readonly lookup: DirectoryLookup

  constructor(lookup: DirectoryLookup) {
    super(`The lookup ${lookup.name} is not loaded`)
    this.lookup = lookup
  }
}
