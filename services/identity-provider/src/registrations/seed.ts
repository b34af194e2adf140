import type { Application } from '../directory/application.ts'
import { type DirectoryChange, put } from '../directory/directory-change.ts'
import { newAppRoleAssignment } from '../directory/new-app-role-assignment.ts'
import { newApplication } from '../directory/new-application.ts'
import { newServicePrincipal } from '../directory/new-service-principal.ts'
import { createPassword } from '../directory/password-credential.ts'
import type { Runtime } from '../directory/runtime.ts'
import type { Registrations } from './registrations.ts'

/** What whoever starts the server must know to use it: the ids, and the secrets, told once. */
export type Seeded = {
  readonly tenantId: string
  readonly apis: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly identifierUri: string
  }[]
  readonly clients: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly clientSecret: string
  }[]
}

const dayMs = 86_400_000

/** The changes that bring registrations into an empty directory, and what to tell about them. */
export function seedOf(
  registrations: Registrations,
  source: Runtime,
): { readonly changes: readonly DirectoryChange[]; readonly seeded: Seeded } {
  const { apis, clients, tenant } = registrations
  const createdDateTime = source.now()
  const known = ({ displayName, applicationId: appId }: Named) => ({
    id: source.newGuid(),
    tenantId: tenant.id,
    appId,
    displayName,
    createdDateTime,
  })
  const principalOf = ({ displayName, applicationId: appId }: Named) =>
    newServicePrincipal(tenant.id, { appId, displayName }, source)

  const apiApplications = apis.map((api) =>
    newApplication({
      ...known(api),
      identifierUris: api.identifierUris,
      requestedAccessTokenVersion: api.requestedAccessTokenVersion ?? null,
      appRoles: api.appRoles.map(({ lang: _lang, origin: _origin, ...role }) => role),
    }),
  )
  const secrets = clients.map(({ secrets }) =>
    secrets.map(({ displayName, lifetimeDays }) => {
      const endDateTime = new Date(createdDateTime.getTime() + lifetimeDays * dayMs)
      return createPassword({ displayName, endDateTime }, source)
    }),
  )
  const clientApplications = clients.map((client, index) =>
    newApplication({
      ...known(client),
      requiredResourceAccess: client.permissions.map(({ api, roles }) => ({
        resourceAppId: named(apiApplications, api).appId,
        resourceAccess: roleIds(named(apiApplications, api), roles).map((id) => ({
          id,
          type: 'Role',
        })),
      })),
      passwordCredentials: (secrets[index] ?? []).map(({ credential }) => credential),
    }),
  )
  const apiPrincipals = apis.map((api) => ({
    ...principalOf(api),
    appRoleAssignmentRequired: api.appRoleAssignmentRequired ?? false,
  }))
  const clientPrincipals = clients.map(principalOf)
  const assignments = registrations.consents.flatMap(({ client, api, roles }) =>
    roleIds(named(apiApplications, api), roles).map((roleId) =>
      newAppRoleAssignment(
        named(clientPrincipals, client),
        named(apiPrincipals, api),
        roleId,
        source,
      ),
    ),
  )

  return {
    changes: [
      put('tenant', { ...tenant, isEnabled: true, createdDateTime }),
      ...[...apiApplications, ...clientApplications].map((one) => put('application', one)),
      ...[...apiPrincipals, ...clientPrincipals].map((one) => put('servicePrincipal', one)),
      ...assignments.map((one) => put('appRoleAssignment', one)),
    ],
    seeded: {
      tenantId: tenant.id,
      apis: apis.map(({ displayName, applicationId, identifierUris }) => ({
        displayName,
        applicationId,
        identifierUri: identifierUris[0] ?? '',
      })),
      clients: clients.flatMap(({ displayName, applicationId }, index) =>
        (secrets[index] ?? []).map(({ secretText: clientSecret }) => ({
          displayName,
          applicationId,
          clientSecret,
        })),
      ),
    },
  }
}

type Named = { readonly displayName: string; readonly applicationId: string }

function named<One extends { readonly displayName: string }>(
  all: readonly One[],
  name: string,
): One {
  const found = all.find(({ displayName }) => displayName === name)
  if (found === undefined) throw new TypeError(`Registrations were not judged: no "${name}".`)
  return found
}

const roleIds = ({ appRoles }: Application, values: readonly string[]): string[] =>
  appRoles.filter(({ value }) => value !== null && values.includes(value)).map(({ id }) => id)
