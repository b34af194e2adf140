import { GraphRefusalError } from '@greeting/registrations/apply'
import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'
import { objectsBy } from './applications.ts'
import type { AuditView } from './management-views.ts'

const nameView = z.object({
  id: z.string(),
  appId: z.string(),
  displayName: z.string(),
  agentIdentityBlueprintId: z.string().nullish(),
})

/** The names of objects, by one of their IDs. An object that the administrator may not read has none. */
async function namesBy(
  request: AdministratorRequest,
  list: 'applications' | 'servicePrincipals',
  by: 'appId' | 'id',
  ids: readonly string[],
) {
  try {
    return await objectsBy(request, list, by, ids, nameView)
  } catch (cause) {
    if (cause instanceof GraphRefusalError && cause.status === 403) return new Map<string, never>()
    throw cause
  }
}

export async function applicationNames(request: AdministratorRequest, appIds: readonly string[]) {
  const names = await namesBy(request, 'servicePrincipals', 'appId', appIds)
  return new Map([...names].map(([appId, { displayName }]) => [appId, displayName]))
}

/** The applications that audit records name, by the ID in the record. */
export type NamesInRecords = ReadonlyMap<string, z.output<typeof nameView>>

/** Finds the display names for the IDs in audit records: actors, blueprints and changed objects. */
export async function namesInRecords(
  request: AdministratorRequest,
  records: readonly Pick<AuditView, 'action' | 'actor' | 'blueprintId' | 'target'>[],
): Promise<NamesInRecords> {
  const all = records.flatMap(({ actor, blueprintId = '', target }) => [
    actor,
    blueprintId,
    target ?? '',
  ])
  const changed = (kind: string) =>
    records.flatMap(({ action, target }) => (action.startsWith(`${kind}.`) && target) || [])
  const found = await Promise.all([
    namesBy(request, 'servicePrincipals', 'appId', all),
    namesBy(request, 'applications', 'id', changed('application')),
    namesBy(request, 'servicePrincipals', 'id', changed('servicePrincipal')),
  ])
  return new Map(found.flatMap((names) => [...names]))
}
