import type { RegistrationsFile } from '@greeting/registrations'
import type { Change, ChangeOf, RoleName } from './change.ts'
import {
  type AppRoleAssignment,
  type DirectoryState,
  defaultAccessRoleId,
} from './directory-state.ts'
import type { KnownApi } from './known-api.ts'
import type { Located } from './locate.ts'

type Consents = NonNullable<RegistrationsFile['consents']>
type Granted = { readonly api: string; readonly role: RoleName }

/** Act 5: what the administrator grants to a client, and takes back from it. */
export function planConsents(
  client: Located,
  wanted: readonly Granted[],
  apis: readonly KnownApi[],
  state: DirectoryState,
): Change[] {
  const about = { step: 'Admin consent', application: client.name } as const
  const present = assignmentsOf(client, state).filter(
    ({ appRoleId }) => appRoleId !== defaultAccessRoleId,
  )
  const resourceOf = (api: string) =>
    apis.find(({ name }) => name === api)?.located.servicePrincipal
  const isPresent = ({ api, role }: Granted) =>
    present.some(
      ({ resourceId, appRoleId }) => resourceId === resourceOf(api)?.id && appRoleId === role.id,
    )
  const isWanted = ({ resourceId, appRoleId }: AppRoleAssignment) =>
    wanted.some(({ api, role }) => resourceOf(api)?.id === resourceId && role.id === appRoleId)
  return [
    ...wanted
      .filter((granted) => !isPresent(granted))
      .map(
        ({ api, role }): Change => ({
          kind: 'grantConsent',
          ...about,
          destructive: false,
          api,
          role,
        }),
      ),
    ...present
      .filter((assignment) => !isWanted(assignment))
      .map((assignment): ChangeOf<'revokeConsent'> => {
        const { id, principalId, resourceId, appRoleId } = assignment
        const api = apis.find(({ located }) => located.servicePrincipal?.id === resourceId)
        return {
          kind: 'revokeConsent',
          ...about,
          destructive: true,
          api: api?.name ?? resourceName(state, resourceId),
          role: { id: appRoleId, value: api?.valueOf(appRoleId) ?? roleValue(state, assignment) },
          servicePrincipalId: principalId,
          assignmentId: id,
        }
      })
      // A directory lists assignments in no order that anybody could follow.
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  ]
}

const nameOf = (change: ChangeOf<'revokeConsent'>) => `${change.api}/${change.role.value}`

/** The roles that the consents of a file grant to one client. */
export function wantedConsents(
  file: RegistrationsFile,
  consents: Consents,
  client: string,
  apis: readonly KnownApi[],
): Granted[] {
  const permissions = file.clients.find(({ displayName }) => displayName === client)?.permissions
  return consents
    .filter((consent) => consent.client === client)
    .flatMap(({ api, roles }) => {
      const known = apis.find(({ name }) => name === api)
      const values = roles ?? permissions?.find((permission) => permission.api === api)?.roles ?? []
      return values.flatMap((value) => known?.role(value) ?? []).map((role) => ({ api, role }))
    })
}

export function assignmentsOf(
  { servicePrincipal }: Located,
  { assignments }: DirectoryState,
): AppRoleAssignment[] {
  return assignments.filter(({ principalId }) => principalId === servicePrincipal?.id)
}

const resourceName = ({ servicePrincipals }: DirectoryState, resourceId: string) =>
  servicePrincipals.find(({ id }) => id === resourceId)?.displayName ?? resourceId

const roleValue = (
  { servicePrincipals }: DirectoryState,
  { resourceId, appRoleId }: AppRoleAssignment,
) =>
  servicePrincipals.find(({ id }) => id === resourceId)?.appRoles.find(({ id }) => id === appRoleId)
    ?.value ?? appRoleId
