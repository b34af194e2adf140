import { directoryIndex } from '../../directory/directory-index.ts'
import type { DirectoryState, InheritablePermission } from '../../directory/directory-state.ts'
import type { Located } from '../../directory/locate.ts'
import type { Change } from './change.ts'
import type { KnownApis } from './known-apis.ts'

/** Step 4: plans from which APIs agents inherit the roles of their blueprint. */
export function planInheritance(
  blueprint: Located,
  wanted: readonly string[],
  apis: KnownApis,
): Change[] {
  const about = {
    kind: 'setInheritance',
    step: 'Permissions',
    application: blueprint.name,
  } as const
  const present = blueprint.application?.inheritablePermissions ?? []
  const wantedIds = wanted.map((api) => apis.named(api)?.appId)
  return [
    ...wanted.flatMap((api, index): Change[] => {
      const entry = present.find(({ resourceAppId }) => resourceAppId === wantedIds[index])
      if (entry && isInherited(entry)) return []
      return [{ ...about, destructive: false, api, isNew: !entry, roles: 'allAllowed' }]
    }),
    ...present
      .filter((one) => isInherited(one) && !wantedIds.includes(one.resourceAppId))
      .map(({ resourceAppId }): Change => {
        const api = apis.withAppId(resourceAppId)?.name ?? resourceAppId
        return { ...about, destructive: true, api, resourceAppId, isNew: false, roles: 'none' }
      }),
  ]
}

export const isInherited = ({ inheritableRoles }: InheritablePermission) =>
  inheritableRoles?.kind === 'allAllowed'

/** Step 3: plans the agents of a blueprint. */
export function planAgents(
  { name: blueprint, application }: Located,
  sponsors: readonly string[],
  wanted: readonly Located[],
  state: DirectoryState,
): Change[] {
  const step = 'Client registration'
  const kept = new Set(wanted.map(({ servicePrincipal }) => servicePrincipal?.id))
  const gone = directoryIndex(state)
    .agentsOf(application?.appId)
    .filter(({ id }) => !kept.has(id))
  return [
    ...wanted.flatMap(({ name, servicePrincipal }): Change[] => {
      const about = { step, application: name, destructive: false } as const
      if (servicePrincipal === undefined)
        return [{ kind: 'createAgent', ...about, blueprint, sponsors }]
      const { displayName: from } = servicePrincipal
      const changes = [{ property: 'displayName', from, to: name }]
      return from === name ? [] : [{ kind: 'updateServicePrincipal', ...about, changes }]
    }),
    ...gone.map(({ id: objectId, displayName: application }): Change => {
      return { kind: 'deleteAgent', step, application, destructive: true, blueprint, objectId }
    }),
  ]
}
