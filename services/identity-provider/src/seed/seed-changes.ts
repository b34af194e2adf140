import {
  type Application,
  applicationProperties,
  type Blueprint,
  createLabPassword,
  createPassword,
  type DirectoryChange,
  entityValues,
  newAgentIdentity,
  newApplication,
  newAppRoleAssignment,
  newServicePrincipal,
  newTenant,
  put,
  type Runtime,
  servicePrincipalProperties,
} from '@greeting/directory'
import { valuesOf } from '@greeting/registrations/compared-properties'
import type { SeedRegistrations } from './seed-registrations.ts'

/** The IDs and secrets of the first registrations. The secrets exist nowhere else in plain text. */
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
  /** The agents, with the names of their blueprints. */
  readonly agents?: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly blueprint: string
  }[]
}

const dayMs = 86_400_000

/**
 * Returns the changes that create registrations in an empty directory, with their IDs and secrets.
 *
 * @param labSecret the text of all secrets, in a lab only; by default each is random
 */
export function seedChanges(
  registrations: SeedRegistrations,
  source: Runtime,
  labSecret?: string,
): { readonly changes: readonly DirectoryChange[]; readonly seeded: Seeded } {
  const { apis, clients, agents, tenant } = registrations
  const createdDateTime = source.now()
  const secrets = clients.map((client) => ({
    client,
    created: client.secrets.map(({ displayName, lifetimeDays }) => {
      const endDateTime = new Date(createdDateTime.getTime() + lifetimeDays * dayMs)
      const properties = { displayName, endDateTime }
      return labSecret === undefined
        ? createPassword(properties, source)
        : createLabPassword(properties, labSecret, source)
    }),
  }))

  // An API that is also a client is one application.
  const applications = entriesByName(registrations).map(({ displayName, applicationId }) => {
    const api = apis.find((entry) => entry.displayName === displayName)
    const client = clients.find((entry) => entry.displayName === displayName)
    const isBlueprint = client?.kind === 'blueprint'
    return newApplication({
      id: isBlueprint ? applicationId : source.newGuid(),
      tenantId: tenant.id,
      appId: applicationId,
      displayName,
      createdDateTime,
      identifierUris: api?.identifierUris ?? [],
      ...entityValues(applicationProperties, valuesOf('application', api)),
      appRoles: api?.appRoles ?? [],
      requiredResourceAccess: (client?.permissions ?? []).map((permission) => ({
        resourceAppId: idOf(registrations, permission.api),
        resourceAccess: roleIds(apis, permission).map((id) => ({ id, type: 'Role' })),
      })),
      passwordCredentials: secrets
        .filter((entry) => entry.client === client)
        .flatMap(({ created }) => created.map(({ credential }) => credential)),
      federatedIdentityCredentials: (client?.federatedCredentials ?? []).map(
        ({ displayName: name, audience, ...trusted }) => {
          const audiences = [audience]
          return { id: source.newGuid(), name, description: null, audiences, ...trusted }
        },
      ),
      blueprint: isBlueprint ? blueprintOf(client, registrations) : null,
    })
  })
  const principals = applications.map(({ appId, displayName }) => {
    const api = apis.find((one) => one.displayName === displayName)
    return {
      ...newServicePrincipal(tenant.id, { appId, displayName }, source),
      ...entityValues(servicePrincipalProperties, valuesOf('servicePrincipal', api)),
    }
  })
  const agentPrincipals = agents.map(({ displayName, blueprint = '', applicationId }) => {
    const { applicationId: agentIdentityBlueprintId, sponsors = [] } = named(clients, blueprint)
    const ids = { agentIdentityBlueprintId, createdByAppId: agentIdentityBlueprintId }
    const given = { displayName, sponsorIds: sponsors, ...ids }
    return newAgentIdentity(tenant.id, given, source, applicationId)
  })
  const assignable = [...principals, ...agentPrincipals]
  const assignments = registrations.consents.flatMap((consent) =>
    roleIds(apis, consent).map((roleId) =>
      newAppRoleAssignment(
        named(assignable, consent.client),
        named(principals, consent.api),
        roleId,
        source,
      ),
    ),
  )

  return {
    changes: [
      put('tenant', newTenant({ ...tenant, createdDateTime })),
      ...applications.map((one) => put('application', one)),
      ...assignable.map((one) => put('servicePrincipal', one)),
      ...assignments.map((one) => put('appRoleAssignment', one)),
    ],
    seeded: {
      tenantId: tenant.id,
      apis: apis.map(({ displayName, applicationId, identifierUris }) => ({
        displayName,
        applicationId,
        identifierUri: identifierUris[0] ?? '',
      })),
      clients: secrets.flatMap(({ client: { displayName, applicationId }, created }) =>
        created.map(({ secretText: clientSecret }) => ({
          displayName,
          applicationId,
          clientSecret,
        })),
      ),
      ...(agents.length > 0 && {
        agents: agents.map(({ displayName, applicationId, blueprint = '' }) => {
          return { displayName, applicationId, blueprint }
        }),
      }),
    },
  }
}

const blueprintOf = (
  { sponsors = [], inherit = [] }: SeedRegistrations['clients'][number],
  registrations: SeedRegistrations,
): Blueprint => ({
  sponsorIds: sponsors,
  inheritablePermissions: inherit.map((api) => {
    return { resourceAppId: idOf(registrations, api), scopes: 'none', roles: 'allAllowed' }
  }),
})

const entriesByName = ({ apis, clients }: SeedRegistrations) => [
  ...new Map([...apis, ...clients].map((entry) => [entry.displayName, entry])).values(),
]

const idOf = (registrations: SeedRegistrations, name: string): Application['appId'] =>
  named(entriesByName(registrations), name).applicationId

/** @throws {TypeError} when the registrations were not validated */
function named<Entry extends { readonly displayName: string }>(
  entries: readonly Entry[],
  name: string,
): Entry {
  const found = entries.find(({ displayName }) => displayName === name)
  if (found === undefined) throw new TypeError(`The registrations contain no "${name}"`)
  return found
}

const roleIds = (
  apis: SeedRegistrations['apis'],
  { api, roles }: { readonly api: string; readonly roles: readonly string[] },
): string[] =>
  named(apis, api)
    .appRoles.filter(({ value }) => roles.includes(value))
    .map(({ id }) => id)
