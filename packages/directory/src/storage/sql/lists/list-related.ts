import type { Kysely } from 'kysely'
import type { ListedKind, ListQuery } from '../../../live/directory-list.ts'
import type { LoadedLookup } from '../../../live/directory-lookup.ts'
import type {
  CommittedChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../../model/directory-change.ts'
import { inParts } from '../rows/list-parameter.ts'
import { objectsOf } from '../rows/object-queries.ts'
import type { Tables } from '../rows/tables.ts'

/**
 * The objects of a page and the objects that their properties come from: the tenant, the applications of
 * service principals, and the service principals of assignments.
 */
export async function relatedObjects(
  db: Kysely<Tables>,
  { kind, tenantId }: Pick<ListQuery<ListedKind>, 'kind' | 'tenantId'>,
  objects: readonly CommittedChange[],
): Promise<LoadedLookup[]> {
  const tenants = await db.selectFrom('tenant').selectAll().where('id', '=', tenantId).execute()
  return [
    answer('tenant', tenantId, await objectsOf(db, 'tenant', tenants)),
    ...objects.map((object) => answer(kind, object.id, [object])),
    ...(kind === 'servicePrincipal' ? await applicationsOf(db, valuesOf(kind, objects)) : []),
    ...(kind === 'appRoleAssignment' ? await principalsOf(db, valuesOf(kind, objects)) : []),
  ]
}

async function applicationsOf(
  db: Kysely<Tables>,
  principals: readonly DirectoryObjects['servicePrincipal'][],
): Promise<LoadedLookup[]> {
  const appIds = principals.map(({ appId }) => appId)
  const rows = await inParts(appIds, (some) =>
    db
      .selectFrom('application')
      .selectAll()
      .where('app_id', 'in', some)
      .where('deleted_at', 'is', null)
      .execute(),
  )
  const found = await objectsOf(db, 'application', rows)
  const byAppId = new Map(valuesOf('application', found).map((one, at) => [one.appId, found[at]]))
  return appIds.map((appId) => answer('applicationOfAppId', appId, some(byAppId.get(appId))))
}

async function principalsOf(
  db: Kysely<Tables>,
  assignments: readonly DirectoryObjects['appRoleAssignment'][],
): Promise<LoadedLookup[]> {
  const ids = new Set(assignments.flatMap((one) => [one.principalId, one.resourceId]))
  const rows = await inParts(ids, (part) =>
    db.selectFrom('service_principal').selectAll().where('id', 'in', part).execute(),
  )
  const found = await objectsOf(db, 'servicePrincipal', rows)
  const byId = new Map(found.map((one) => [one.id, one]))
  return [...ids].map((id) => answer('servicePrincipal', id, some(byId.get(id))))
}

const valuesOf = <Kind extends DirectoryKind>(_: Kind, objects: readonly CommittedChange[]) =>
  objects.map(({ value }) => value as DirectoryObjects[Kind])

const some = (object: CommittedChange | undefined) => (object === undefined ? [] : [object])

const answer = (
  name: LoadedLookup['name'],
  key: string,
  objects: readonly CommittedChange[],
): LoadedLookup => ({ name, key, objects })
