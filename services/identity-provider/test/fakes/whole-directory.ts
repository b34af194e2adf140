import { type DirectoryKind, put } from '../../src/directory/directory-change.ts'
import { ownerTenantId } from '../../src/directory/privileged-api-ids.ts'
import type { ListedKind } from '../../src/directory-store/directory-list.ts'
import type { DirectoryStore } from '../../src/directory-store/directory-store.ts'
import { DirectoryIndex } from './directory-index.ts'

const limit = 100_000
const longAgo = new Date(0)

/** Reads everything from a store into a complete directory, for tests that examine it. */
export async function wholeDirectory(store: DirectoryStore): Promise<DirectoryIndex> {
  await store.refresh()
  const whole = new DirectoryIndex()
  const add = (kind: DirectoryKind, value: { readonly id: string }, revision = 0) =>
    whole.apply(0, [{ ...put(kind, value as never), revision }])
  const { revision, tenants } = await store.read((directory) => ({
    revision: directory.revision,
    tenants: [...directory.tenants()].map((value) => ({
      value,
      revision: directory.revisionOf('tenant', value.id),
    })),
  }))
  for (const tenant of tenants) add('tenant', tenant.value, tenant.revision)
  const addList = async (kind: ListedKind, tenantId: string, part: object) => {
    const { objects, directory } = await store.list({
      kind,
      tenantId,
      conditions: [],
      isIndexed: true,
      matches: undefined,
      after: undefined,
      limit,
      isCounted: false,
      ...part,
    })
    for (const one of objects) add(kind, one, directory.revisionOf(kind, one.id))
  }
  for (const tenantId of [ownerTenantId, ...tenants.map(({ value }) => value.id)]) {
    for (const part of [{}, { deletedSince: longAgo }]) {
      await addList('application', tenantId, part)
      await addList('servicePrincipal', tenantId, part)
    }
    for (const { id } of whole.servicePrincipalsOf(tenantId)) {
      const assignments = await store.read((directory) =>
        directory.assignmentsOf(id).map((one) => ({
          one,
          revision: directory.revisionOf('appRoleAssignment', one.id),
        })),
      )
      for (const { one, revision } of assignments) add('appRoleAssignment', one, revision)
    }
  }
  whole.apply(revision, [])
  return whole
}
