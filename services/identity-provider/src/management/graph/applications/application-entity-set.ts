import type { Application } from '../../../directory/application.ts'
import { credentialName } from '../../../directory/credential-name.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { appRoleJson } from './app-role-json.ts'
import { keyCredentialJson, passwordCredentialJson } from './credential-json.ts'
import { fixedApi, fixedProperties } from './read-only-properties.ts'

/**
 * The applications of Microsoft Graph.
 *
 * @see https://learn.microsoft.com/graph/api/resources/application
 */
export const applications: EntitySet<Application> = {
  name: 'applications',
  type: 'application',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('application', id),
  credentialsOf: (one) =>
    [...one.passwordCredentials, ...one.keyCredentials].map(({ keyId }) =>
      credentialName(one, keyId),
    ),
  filterable: {
    id: 'value',
    appId: 'value',
    displayName: 'value',
    createdDateTime: 'time',
    signInAudience: 'value',
    identifierUris: 'collection',
    passwordCredentials: 'collection',
    keyCredentials: 'collection',
    appRoles: 'collection',
  },
  startsWith: ['displayName', 'appId', 'identifierUris'],
  searchable: ['displayName'],
  orders: { displayName: 'displayName', createdDateTime: 'createdDateTime' },
  indexes: {
    id: 'id',
    appId: 'appId',
    displayName: 'displayName',
    identifierUris: 'identifierUri',
  },
  properties: {
    id: ({ id }) => id,
    deletedDateTime: ({ deletedDateTime }) => deletedDateTime?.toISOString() ?? null,
    appId: ({ appId }) => appId,
    displayName: ({ displayName }) => displayName,
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    signInAudience: ({ signInAudience }) => signInAudience,
    identifierUris: ({ identifierUris }) => identifierUris,
    isFallbackPublicClient: ({ isFallbackPublicClient }) => isFallbackPublicClient,
    passwordAuthenticationAllowed: (one) => one.passwordAuthenticationAllowed,
    publisherDomain: ({ tenantId }, { directory }) =>
      directory.tenant(tenantId)?.domains[0] ?? null,
    api: ({ requestedAccessTokenVersion }) => ({
      ...fixedApi,
      requestedAccessTokenVersion,
    }),
    appRoles: ({ appRoles }) => appRoles.map(appRoleJson),
    requiredResourceAccess: ({ requiredResourceAccess }) => requiredResourceAccess,
    optionalClaims: ({ optionalAccessTokenClaims: claims }) =>
      claims.length === 0
        ? null
        : {
            idToken: [],
            accessToken: claims.map((claim) => ({ source: null, essential: false, ...claim })),
            saml2Token: [],
          },
    passwordCredentials: (application, { lastUses }) =>
      application.passwordCredentials.map((one) =>
        passwordCredentialJson(one, lastUses.get(credentialName(application, one.keyId))),
      ),
    keyCredentials: (application, { lastUses, selected }) =>
      application.keyCredentials.map((one) =>
        keyCredentialJson(
          one,
          lastUses.get(credentialName(application, one.keyId)),
          selected?.has('keyCredentials') ?? false,
        ),
      ),
    ...Object.fromEntries(
      Object.entries(fixedProperties).map(([name, value]) => [name, () => value]),
    ),
  },
}
