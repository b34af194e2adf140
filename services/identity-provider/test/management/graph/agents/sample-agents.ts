import { graphAppId, newAppRoleAssignment, put } from '@greeting/directory'
import { type GraphRole, graphRoles } from '../../../../src/management/privileges/graph-roles.ts'
import { allGraphRoles, contoso, sampleGraph } from '../../sample-graph.ts'

export const blueprintType = 'microsoft.graph.agentIdentityBlueprint'
export const principalType = 'microsoft.graph.agentIdentityBlueprintPrincipal'
export const agentType = 'microsoft.graph.agentIdentity'

export const sponsorId = '5c8f5a0e-6f3c-4b1e-9d3a-1c9e0a7b2f44'
export const sponsored = {
  'sponsors@odata.bind': [`https://graph.microsoft.com/v1.0/users/${sponsorId}`],
}

/** A tenant with a blueprint, its principal and one agent. */
export async function withAgent() {
  const sample = await sampleGraph()
  const admin = await sample.clientWith(allGraphRoles)
  const newBlueprint = async (displayName: string) => {
    const body = { displayName, ...sponsored }
    const { body: blueprint } = await admin.post(`/applications/${blueprintType}`, body)
    const { body: principal } = await admin.post(`/servicePrincipals/${principalType}`, {
      appId: blueprint.appId,
    })
    return { blueprint, principal }
  }
  const { blueprint, principal } = await newBlueprint('Helper')
  const create = (part: object = {}, by: Pick<typeof admin, 'post'> = admin) =>
    by.post(`/servicePrincipals/${agentType}`, {
      displayName: 'Agent',
      agentIdentityBlueprintId: blueprint.appId,
      ...sponsored,
      ...part,
    })
  const { body: agent } = await create()
  /** Assigns a role of Microsoft Graph, without a request. */
  async function giveRole(principalId: string, role: GraphRole): Promise<void> {
    const { directory } = sample.log
    const client = directory.servicePrincipal(principalId)
    const graph = directory.servicePrincipalByAppId(contoso.id, graphAppId)
    if (!client || !graph) throw new TypeError('There is no such client.')
    const { id } = graphRoles[role]
    await sample.commit(
      put('appRoleAssignment', newAppRoleAssignment(client, graph, id, sample.runtime)),
    )
  }
  return {
    ...sample,
    admin,
    agent,
    blueprint,
    create,
    giveRole,
    newBlueprint,
    principal,
    tenantId: contoso.id,
  }
}
