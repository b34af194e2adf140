import {
  type Application,
  createPassword,
  type DirectoryChange,
  graphAppId,
  newAgentIdentity,
  newApplication,
  newAppRoleAssignment,
  newServicePrincipal,
  ownerTenantId,
  privilegedApiAppIds,
  put,
  type ServicePrincipal,
} from '@greeting/directory'
import { appRole, guid } from '../../../../../test/fixtures/directory/sample.ts'
import { sponsorId } from '../graph/agents/sample-agents.ts'
import { contoso, fabrikam } from '../sample-graph.ts'
import { keylessManagement } from './keyless-management.ts'
import type { Target } from './privilege-row.ts'

/** One object that an operation is tested on. */
type Thing = { readonly application: Application; readonly principal: ServicePrincipal }

const made = new Map<string, ReturnType<typeof makeScene>>()

/** A caller with some management roles, and one object of every kind. Each call copies a scene that is created once. */
export async function privilegeScene(roles: readonly string[], isDeleted: boolean) {
  const key = `${isDeleted} ${roles}`
  const scene = made.get(key) ?? makeScene(roles, isDeleted)
  made.set(key, scene)
  const { saved, ...rest } = await scene
  return { ...rest, ...(await keylessManagement(saved)) }
}

async function makeScene(roles: readonly string[], isDeleted: boolean) {
  const sample = await keylessManagement()
  const { commit, runtime } = sample
  const { directory } = sample.log
  const deletedDateTime = isDeleted ? runtime.now() : null
  const changes: DirectoryChange[] = []

  const roleOf = (tenantId: string, value: string) => {
    const [found] = privilegedApiAppIds.flatMap((appId) => {
      const api = directory.servicePrincipalByAppId(tenantId, appId)
      const declared = directory.applicationByAppId(appId)?.appRoles ?? []
      const role = declared.find((one) => one.value === value)
      return api === undefined || role === undefined ? [] : [{ api, role }]
    })
    if (found === undefined) throw new TypeError(`${value} is no management role of ${tenantId}.`)
    return found
  }
  const give = (client: ServicePrincipal, value: string) => {
    const { api, role } = roleOf(client.tenantId, value)
    changes.push(put('appRoleAssignment', newAppRoleAssignment(client, api, role.id, runtime)))
  }
  function thing(displayName: string, tenantId: string, part: Partial<Application> = {}): Thing {
    const application = newApplication({
      id: runtime.newGuid(),
      tenantId,
      appId: runtime.newGuid(),
      displayName,
      createdDateTime: runtime.now(),
      passwordCredentials: [createPassword({}, runtime).credential],
      federatedIdentityCredentials: [trust(runtime.newGuid())],
      extensionProperties: [extension],
      deletedDateTime,
      ...part,
    })
    const principal = {
      ...newServicePrincipal(tenantId, application, runtime),
      deletedDateTime: part.deletedDateTime === null ? null : deletedDateTime,
    }
    changes.push(put('application', application), put('servicePrincipal', principal))
    return { application, principal }
  }

  /** A blueprint with its principal and one agent. */
  function family(displayName: string) {
    const inheritablePermissions = [
      { resourceAppId: contoso.id, scopes: 'none', roles: 'allAllowed' } as const,
    ]
    const blueprint = thing(displayName, contoso.id, {
      blueprint: { sponsorIds: [sponsorId], inheritablePermissions },
    })
    const agent = newAgentIdentity(
      contoso.id,
      {
        agentIdentityBlueprintId: blueprint.application.appId,
        createdByAppId: null,
        displayName,
        sponsorIds: [sponsorId],
      },
      runtime,
    )
    const principal = { ...blueprint.principal, sponsorIds: [sponsorId] }
    changes.push(
      put('servicePrincipal', principal),
      put('servicePrincipal', { ...agent, deletedDateTime }),
    )
    return { ...blueprint, principal, agent }
  }

  const live = { deletedDateTime: null }
  const caller = thing('Caller', contoso.id, live)
  for (const value of roles) give(caller.principal, value)
  const lacked = roles.includes('SigningKey.ReadWrite.All')
    ? 'AuditLog.Read.All'
    : 'SigningKey.ReadWrite.All'
  const [plain, peer, more] = ['Plain', 'Peer', 'More'].map((name) => thing(name, contoso.id))
  const receiver = thing('Receiver', contoso.id, live)
  const foreign = thing('Foreign', fabrikam.id)
  const offered = thing('Offered', fabrikam.id, { ...live, signInAudience: 'AzureADMultipleOrgs' })
  const elsewhere = thing('Elsewhere', contoso.id, { signInAudience: 'AzureADMultipleOrgs' })
  const api = thing('API', contoso.id, { ...live, appRoles: [appRole()] })
  if (!plain || !peer || !more) throw new TypeError('There are three.')
  for (const value of roles) give(peer.principal, value)
  give(more.principal, lacked)
  const there = newServicePrincipal(fabrikam.id, elsewhere.application, runtime)
  changes.push(put('servicePrincipal', there))
  give(there, 'Application.ReadWrite.All')
  give(foreign.principal, 'Application.ReadWrite.All')
  const ofGraph = roles.includes('Application.Read.All')
    ? 'AgentIdentity.Read.All'
    : 'Application.Read.All'
  const [agent, agentMore] = ['Agent', 'AgentMore'].map((name) => family(name))
  if (!agent || !agentMore) throw new TypeError('There are two.')
  give(agentMore.agent, ofGraph)
  await commit(...changes)

  const graph = directory.servicePrincipalByAppId(contoso.id, graphAppId)
  const graphApplication = directory.applicationByAppId(graphAppId)
  if (!graph || !graphApplication) throw new TypeError('Every directory has Microsoft Graph.')
  const things: { readonly [Which in Target]?: Thing } = {
    plain,
    peer,
    more,
    foreign,
    offered,
    elsewhere,
    outsider: foreign,
    agent: { application: agent.application, principal: agent.agent },
    agentMore: { application: agentMore.application, principal: agentMore.agent },
    parent: agent,
    parentMore: agentMore,
    api: { application: graphApplication, principal: graph },
  }
  const ownRole = roles[0] ?? lacked
  const roleIds: { readonly [Which in Target]?: { resourceId: string; appRoleId: string } } = {
    roleOfApi: { resourceId: api.principal.id, appRoleId: appRole().id },
    ownRole: namesOf(roleOf(contoso.id, ownRole)),
    lackedRole: namesOf(roleOf(contoso.id, lacked)),
    outsider: { resourceId: api.principal.id, appRoleId: appRole().id },
  }
  const tenantIds: { readonly [Which in Target]?: string } = {
    ownTenant: contoso.id,
    ownTenantDisabled: contoso.id,
    otherTenant: fabrikam.id,
    ownerTenant: ownerTenantId,
  }
  return { saved: sample.log.save(), caller, receiver, roleIds, tenantIds, things }
}

export type Scene = Awaited<ReturnType<typeof privilegeScene>>

const namesOf = ({ api, role }: { api: ServicePrincipal; role: { id: string } }) => ({
  resourceId: api.id,
  appRoleId: role.id,
})

/** The only extension property of each application. */
export const newExtension = { name: 'orders', dataType: 'String', targetObjects: ['User'] }
export const extension = { ...newExtension, id: guid(0x98), isMultiValued: false }

const trust = (id: string) => ({
  id,
  name: 'first',
  issuer: 'https://issuer.example',
  subject: 'job',
  description: null,
  audiences: ['api://AzureADTokenExchange'],
})
