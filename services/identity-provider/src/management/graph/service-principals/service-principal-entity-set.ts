import { credentialName } from '../../../directory/application/credential-name.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import type { EntitySet, EntityView } from '../../odata/entity-set.ts'
import { appRoleJson } from '../applications/app-role-json.ts'
import { type apiDefaults, applicationDefaults } from '../applications/application-description.ts'
import { keyCredentialJson, passwordCredentialJson } from '../applications/credential-json.ts'
import { describedBy } from '../described-by.ts'
import { fixedPrincipalProperties, principalDefaults } from './principal-description.ts'

const applicationOf = ({ appId }: ServicePrincipal, { directory }: EntityView) =>
  directory.applicationByAppId(appId)

function lastUseOf(
  principal: ServicePrincipal,
  { keyId }: { readonly keyId: string },
  view: EntityView,
): Date | undefined {
  const application = applicationOf(principal, view)
  return application && view.lastUses.get(credentialName(application, keyId))
}

/**
 * The service principals of Microsoft Graph. Some properties are read from their application.
 *
 * @see https://learn.microsoft.com/graph/api/resources/serviceprincipal
 */
export const servicePrincipals: EntitySet<ServicePrincipal> = {
  name: 'servicePrincipals',
  type: 'servicePrincipal',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('servicePrincipal', id),
  filterable: {
    id: 'value',
    appId: 'value',
    displayName: 'value',
    createdDateTime: 'time',
    accountEnabled: 'value',
    appOwnerOrganizationId: 'value',
    servicePrincipalType: 'value',
    servicePrincipalNames: 'collection',
    tags: 'collection',
  },
  startsWith: ['displayName', 'appId', 'servicePrincipalNames'],
  searchable: ['displayName'],
  orders: { displayName: 'displayName', createdDateTime: 'createdDateTime' },
  indexes: {
    id: 'id',
    appId: 'appId',
    displayName: 'displayName',
    servicePrincipalNames: 'name',
  },
  credentialsOf: (one, view) => {
    const application = applicationOf(one, view)
    return application === undefined
      ? []
      : [...one.passwordCredentials, ...one.keyCredentials].map(({ keyId }) =>
          credentialName(application, keyId),
        )
  },
  properties: {
    id: ({ id }) => id,
    deletedDateTime: ({ deletedDateTime }) => deletedDateTime?.toISOString() ?? null,
    accountEnabled: ({ accountEnabled }) => accountEnabled,
    appDescription: (one, view) => applicationOf(one, view)?.description.description ?? null,
    appDisplayName: (one, view) => applicationOf(one, view)?.displayName ?? one.displayName,
    appId: ({ appId }) => appId,
    appOwnerOrganizationId: (one, view) => applicationOf(one, view)?.tenantId ?? null,
    appRoleAssignmentRequired: (one) => one.appRoleAssignmentRequired,
    appRoles: (one, view) => (applicationOf(one, view)?.appRoles ?? []).map(appRoleJson),
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    displayName: ({ displayName }) => displayName,
    info: (one, view) => applicationOf(one, view)?.description.info ?? applicationDefaults.info,
    oauth2PermissionScopes: (one, view) => {
      const { api } = applicationOf(one, view)?.description ?? {}
      return (api as Partial<typeof apiDefaults> | undefined)?.oauth2PermissionScopes ?? []
    },
    keyCredentials: (one, view) =>
      one.keyCredentials.map((credential) =>
        keyCredentialJson(
          credential,
          lastUseOf(one, credential, view),
          view.selected?.has('keyCredentials') ?? false,
        ),
      ),
    passwordCredentials: (one, view) =>
      one.passwordCredentials.map((credential) =>
        passwordCredentialJson(credential, lastUseOf(one, credential, view)),
      ),
    servicePrincipalNames: (one, view) => [
      one.appId,
      ...(applicationOf(one, view)?.identifierUris ?? []),
    ],
    servicePrincipalType: () => 'Application',
    signInAudience: (one, view) => applicationOf(one, view)?.signInAudience ?? null,
    ...describedBy(principalDefaults),
    ...Object.fromEntries(
      Object.entries(fixedPrincipalProperties).map(([name, value]) => [name, () => value]),
    ),
  },
}
