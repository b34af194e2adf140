import { roleOfBlueprints } from '@greeting/directory'
import type { RequiredRoles } from './caller.ts'

type Role = { readonly id: string; readonly displayName: string; readonly description: string }

/** What the parts of agent roles after their family allow. */
const agentVerbs = {
  'AddRemoveCreds.All': 'add and remove credentials of',
  Create: 'create',
  'Create.All': 'create',
  CreateAsManager: 'create, read, update and delete own',
  'Read.All': 'read',
  'ReadWrite.All': 'create, read, update and delete',
  'UpdateAuthProperties.All': 'update roles, permissions and inheritance of',
  'UpdateBranding.All': 'update names and descriptions of',
} as const

type AgentVerb = keyof typeof agentVerbs

const agentRoleIds = {
  'AgentIdentity.Create.All': 'ad25cc1d-84d8-47df-a08e-b34c2e800819',
  'AgentIdentity.CreateAsManager': '4c390976-b2b7-42e0-9187-c6be3bead001',
  'AgentIdentity.Read.All': 'b2b8f011-2898-4234-9092-5059f6c1ebfa',
  'AgentIdentity.ReadWrite.All': 'dcf7150a-88d4-4fe6-9be1-c2744c455397',
  'AgentIdentityBlueprint.AddRemoveCreds.All': '0510736e-bdfb-4b37-9a1f-89b4a074763a',
  'AgentIdentityBlueprint.Create': 'ea4b2453-ad2d-4d94-9155-10d5d9493ce9',
  'AgentIdentityBlueprint.Read.All': '7547a7d1-36fa-4479-9c31-559a600eaa4f',
  'AgentIdentityBlueprint.ReadWrite.All': '7fddd33b-d884-4ec0-8696-72cff90ff825',
  'AgentIdentityBlueprint.UpdateAuthProperties.All': '19202363-278e-49c2-bf00-391e2ba00881',
  'AgentIdentityBlueprint.UpdateBranding.All': '76232daa-a1e4-4544-b664-495a006513bf',
  'AgentIdentityBlueprintPrincipal.Create': '8959696d-d07e-4916-9b1e-3ba9ce459161',
  'AgentIdentityBlueprintPrincipal.Read.All': '9361dea9-4524-493d-941d-f1b65aaf6c7c',
  'AgentIdentityBlueprintPrincipal.ReadWrite.All': '3bc933bc-8b4d-4cb6-ac49-b73774299250',
} as const

const agentRoles = Object.fromEntries(
  Object.entries(agentRoleIds).map(([value, id]) => {
    const [family = '', verb] = value.split(/\.(.*)/)
    const objects = `${family
      .replaceAll(/(?=[A-Z])/g, ' ')
      .trim()
      .toLowerCase()} objects`
    const allows = `${agentVerbs[verb as AgentVerb]} ${objects}`
    const displayName = allows.charAt(0).toUpperCase() + allows.slice(1)
    return [value, { id, displayName, description: `Allows the app to ${allows}.` }]
  }),
) as Record<keyof typeof agentRoleIds, Role>

/**
 * The application roles of Microsoft Graph that the registration steps and agents need, with the IDs
 * that they have in every tenant (entra E158).
 *
 * @see https://learn.microsoft.com/graph/permissions-reference
 */
export const graphRoles = {
  'Application.Read.All': {
    id: '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30',
    displayName: 'Read all applications',
    description: 'Allows the app to read all applications and service principals.',
  },
  'Application.ReadWrite.All': {
    id: '1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9',
    displayName: 'Read and write all applications',
    description:
      'Allows the app to create, read, update and delete applications and service principals.',
  },
  'AppRoleAssignment.ReadWrite.All': {
    id: '06b708a9-e830-4db3-a914-8e69da51d44f',
    displayName: 'Manage app permission grants and app role assignments',
    description:
      'Allows the app to manage app role assignments, that is to grant application permissions.',
  },
  'Directory.Read.All': {
    id: '7ab1d382-f21e-4acd-a863-ba3e13f7da61',
    displayName: 'Read directory data',
    description: 'Allows the app to read the people and groups of the tenant.',
  },
  'Group.Read.All': {
    id: '5b567255-7703-4780-807c-7be8301ae99b',
    displayName: 'Read all groups',
    description: 'Allows the app to read groups. No tenant of this server has one.',
  },
  'User.Read.All': {
    id: 'df021288-bdef-4463-88db-98f22de89214',
    displayName: "Read all users' full profiles",
    description: 'Allows the app to read the people of the tenant.',
  },
  'Policy.Read.All': {
    id: '246dd0d5-5bd0-4def-940b-0421030a5b68',
    displayName: "Read your organization's policies",
    description: "Allows the app to read all your organization's policies.",
  },
  'Policy.ReadWrite.ApplicationConfiguration': {
    id: 'be74164b-cff1-491c-8741-e671cb536e13',
    displayName: "Read and write your organization's application configuration policies",
    description:
      "Allows the app to read and write your organization's application configuration policies.",
  },
  ...agentRoles,
} as const

export type GraphRole = keyof typeof graphRoles

const requires = (...groups: readonly (readonly GraphRole[])[]): RequiredRoles => groups

/** The requirement for any client of the tenant: the operation shows nothing, or checks roles itself. */
export const anyClient = requires()

export const readsApplications = requires(['Application.Read.All', 'Application.ReadWrite.All'])

export const writesApplications = requires(['Application.ReadWrite.All'])

export const readsAssignments = requires([
  'Application.Read.All',
  'Application.ReadWrite.All',
  'AppRoleAssignment.ReadWrite.All',
])

export const readsPeople = requires(['User.Read.All', 'Directory.Read.All'])

export const readsGroups = requires(['Group.Read.All', 'Directory.Read.All'])

/** The roles for changing app role assignments. Graph also requires a role for reading applications. */
export const writesAssignments = requires(
  ['AppRoleAssignment.ReadWrite.All'],
  ['Application.Read.All', 'Application.ReadWrite.All'],
)

const policyWriter = 'Policy.ReadWrite.ApplicationConfiguration'

/** The roles for reading the tenant's policies (entra E228). */
export const readsPolicies = requires(['Policy.Read.All', policyWriter])

export const writesPolicies = requires([policyWriter])

/** The roles for reading policy assignments. Graph also requires a role for reading applications. */
export const readsAssignedPolicies = [...readsPolicies, ...readsApplications]

/** The roles for assigning app management policies (entra E228). */
export const assignsManagement = [...writesPolicies, ...readsApplications]

/** The roles for assigning token policies (entra E253). */
export const assignsTokenPolicies = [...readsPolicies, ...writesApplications]

/** The Microsoft Graph types whose objects require agent roles, and the sets that contain them. */
export const agentTypes = {
  agentIdentityBlueprint: 'applications',
  agentIdentityBlueprintPrincipal: 'servicePrincipals',
  agentIdentity: 'servicePrincipals',
} as const

export type AgentType = keyof typeof agentTypes

/** The agent roles that permit each kind of access, besides the role to read and write all. */
const verbsOf = {
  read: ['Read.All'],
  create: ['Create', 'Create.All'],
  update: ['AddRemoveCreds.All', 'UpdateAuthProperties.All', 'UpdateBranding.All'],
  write: [],
  credentials: ['AddRemoveCreds.All'],
  inherit: ['Create', 'UpdateAuthProperties.All'],
} as const satisfies Record<string, readonly AgentVerb[]>

/** The kind of access that an operation needs on agent objects. */
export type AgentAccess = keyof typeof verbsOf

const isRole = (value: string): value is GraphRole => Object.hasOwn(graphRoles, value)

/** The roles for one kind of access to the objects of one type. */
export function agentAccess(type: AgentType, access: AgentAccess): RequiredRoles {
  const family = type.replace(/^a/, 'A')
  const [ordinary = []] = access === 'read' ? readsApplications : writesApplications
  const own = ['ReadWrite.All', ...verbsOf[access]].map((verb) => `${family}.${verb}`)
  return [
    [...ordinary, ...own.filter(isRole), ...(type === 'agentIdentity' ? [roleOfBlueprints] : [])],
  ]
}
