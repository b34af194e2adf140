import type { RequiredRoles } from './caller.ts'

/**
 * The application roles of Microsoft Graph that the registration steps need, with the IDs that
 * they have in every tenant (entra E158).
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
} as const

export type GraphRole = keyof typeof graphRoles

const requires = (...groups: readonly (readonly GraphRole[])[]): RequiredRoles => groups

/** For any client of the tenant: the operation shows nothing, or checks roles itself. */
export const anyClient = requires()

/** For reading applications and service principals. */
export const readsApplications = requires(['Application.Read.All', 'Application.ReadWrite.All'])

/** For changing applications and service principals. */
export const writesApplications = requires(['Application.ReadWrite.All'])

/** For reading app role assignments. */
export const readsAssignments = requires([
  'Application.Read.All',
  'Application.ReadWrite.All',
  'AppRoleAssignment.ReadWrite.All',
])

/** For changing app role assignments. Graph also requires the right to read applications. */
export const writesAssignments = requires(
  ['AppRoleAssignment.ReadWrite.All'],
  ['Application.Read.All', 'Application.ReadWrite.All'],
)
