import { directoryIndex } from '../../directory/directory-index.ts'
import {
  type AppRoleAssignment,
  type DirectoryState,
  defaultAccessRoleId,
} from '../../directory/directory-state.ts'
import { assignmentsOf, type Located } from '../../directory/locate.ts'
import type { RegistrationsFile } from '../../registrations-file.ts'
import type { Change, ChangeOf, RoleName } from './change.ts'
import { fileIndex, type KnownApis } from './known-apis.ts'

type Granted = { readonly api: string; readonly role: RoleName }

/** Step 5: plans the roles that the administrator grants to a client or removes from it. */
export function planConsents(
  client: Located,
  wanted: readonly Granted[],
  apis: KnownApis,
  state: DirectoryState,
): Change[] {
  const about = { step: 'Admin consent', application: client.name } as const
  const present = assignmentsOf(client, state).filter(
    ({ appRoleId }) => appRoleId !== defaultAccessRoleId,
  )
  const resourceOf = (api: string) => apis.named(api)?.located.servicePrincipal
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
        const api = apis.ofServicePrincipal(resourceId)
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
      // A directory lists assignments in no stable order.
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  ]
}

const nameOf = (change: ChangeOf<'revokeConsent'>) => `${change.api}/${change.role.value}`

/** The roles that a file grants to one client. */
export function wantedConsents(
  file: RegistrationsFile,
  client: string,
  apis: KnownApis,
): Granted[] {
  const index = fileIndex(file)
  const permissions = index.client(client)?.permissions
  return index.consentsOf(client).flatMap(({ api, roles }) => {
    const known = apis.named(api)
    const values = roles ?? permissions?.find((permission) => permission.api === api)?.roles ?? []
    return values.flatMap((value) => known?.role(value) ?? []).map((role) => ({ api, role }))
  })
}

/** The roles of known APIs that a client has in the directory. */
export const presentConsents = (
  client: Located,
  apis: KnownApis,
  state: DirectoryState,
): Granted[] =>
  assignmentsOf(client, state).flatMap(({ resourceId, appRoleId }): Granted[] => {
    const api = apis.ofServicePrincipal(resourceId)
    const value = api?.valueOf(appRoleId)
    return api && value ? [{ api: api.name, role: { id: appRoleId, value } }] : []
  })

const resourceName = (state: DirectoryState, resourceId: string) =>
  directoryIndex(state).servicePrincipalWithId(resourceId)?.displayName ?? resourceId

const roleValue = (state: DirectoryState, { resourceId, appRoleId }: AppRoleAssignment) =>
  directoryIndex(state)
    .servicePrincipalWithId(resourceId)
    ?.appRoles.find(({ id }) => id === appRoleId)?.value ?? appRoleId
