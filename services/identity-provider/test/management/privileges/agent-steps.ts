import { type Application, graphAppId, privilegedApiAppIds } from '@greeting/directory'
import { agentType, blueprintType, sponsored } from '../graph/agents/sample-agents.ts'
import { fabrikam } from '../sample-graph.ts'
import { type Asked, application, oneOf, type Scene } from './authority-scene.ts'

/** The blueprint in focus, or any of the caller's tenant. */
function blueprint(scene: Scene): Application | undefined {
  const { directory, step, tenantId } = scene
  const focused = application(scene)
  if (focused?.blueprint) return focused
  return oneOf(
    [...directory.applicationsOf(tenantId)].filter((one) => one.blueprint !== null),
    step.object,
  )
}

export const newAgent = (scene: Scene) => ({
  '@odata.type': '#microsoft.graph.agentIdentity',
  displayName: 'New',
  agentIdentityBlueprintId: blueprint(scene)?.appId,
  ...sponsored,
})

const onBlueprint =
  (suffix: string, body?: (scene: Scene) => unknown) =>
  (scene: Scene): Asked | undefined => {
    const one = blueprint(scene)
    const inherited = one?.blueprint?.inheritablePermissions ?? []
    const resource = oneOf(inherited, scene.step.variant)?.resourceAppId ?? graphAppId
    const path = `/applications/${one?.id}/${blueprintType}${suffix.replace('{resource}', `${resource}`)}`
    return one && { path, body: body?.(scene) }
  }

const inherits = ({ step }: Scene) => ({
  inheritableRoles: { kind: step.variant % 3 === 0 ? 'none' : 'allAllowed' },
})

const aGroup = ({ step }: Scene) => ({
  '@odata.id': `https://graph.microsoft.com/v1.0/groups/${fabrikam.id.slice(0, -2)}${10 + step.variant}`,
})

const agentsOfTenant = ({ directory, tenantId }: Scene) =>
  [...directory.servicePrincipalsOf(tenantId)].filter(
    (one) => one.agentIdentityBlueprintId !== null,
  )

/** Builds the request of each operation that only agents and blueprints have. */
export const agentAsks: Readonly<Record<string, (scene: Scene) => Asked | undefined>> = {
  [`POST /applications/{id}/${blueprintType}/sponsors/$ref`]: onBlueprint('/sponsors/$ref', aGroup),
  [`DELETE /applications/{id}/${blueprintType}/sponsors/{owner}/$ref`]: (scene) => {
    const [sponsor] = blueprint(scene)?.blueprint?.sponsorIds ?? []
    return sponsor === undefined ? undefined : onBlueprint(`/sponsors/${sponsor}/$ref`)(scene)
  },
  [`POST /servicePrincipals/{id}/${agentType}/sponsors/$ref`]: (scene) => {
    const one = oneOf(agentsOfTenant(scene), scene.step.object)
    const path = `/servicePrincipals/${one?.id}/${agentType}/sponsors/$ref`
    return one && { path, body: aGroup(scene) }
  },
  [`DELETE /servicePrincipals/{id}/${agentType}/sponsors/{owner}/$ref`]: (scene) => {
    const one = oneOf(agentsOfTenant(scene), scene.step.object)
    const path = `/servicePrincipals/${one?.id}/${agentType}/sponsors/${one?.sponsorIds[0]}/$ref`
    return one && { path }
  },
  [`POST /applications/{id}/${blueprintType}/inheritablePermissions`]: onBlueprint(
    '/inheritablePermissions',
    // Some sequences add an API without management roles, because the blueprint names both with them.
    (scene) => ({
      resourceAppId: [...privilegedApiAppIds, fabrikam.id][scene.step.variant % 3],
      ...inherits(scene),
    }),
  ),
  [`PATCH /applications/{id}/${blueprintType}/inheritablePermissions/{resource}`]: onBlueprint(
    '/inheritablePermissions/{resource}',
    inherits,
  ),
  [`DELETE /applications/{id}/${blueprintType}/inheritablePermissions/{resource}`]: onBlueprint(
    '/inheritablePermissions/{resource}',
  ),
}
