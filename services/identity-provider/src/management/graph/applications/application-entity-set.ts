import type { Application } from '../../../directory/application/application.ts'
import { credentialName } from '../../../directory/application/credential-name.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { describedBy } from '../described-by.ts'
import { appRoleJson, appRoles } from './app-role-json.ts'
import {
  apiDefaults,
  applicationDefaults,
  fixedProperties,
  userClaimDefaults,
} from './application-description.ts'
import {
  keyCredentialJson,
  keyCredentials,
  passwordCredentialJson,
  passwordCredentials,
} from './credential-json.ts'

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
    uniqueName: 'value',
    identifierUris: 'collection',
    tags: 'collection',
    passwordCredentials,
    keyCredentials,
    appRoles,
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
  selectedOnly: ['oauth2RequirePostResponse'],
  properties: {
    // Terraform reads this property of the beta version.
    oauth2RequirePostResponse: () => false,
    id: ({ id }) => id,
    deletedDateTime: ({ deletedDateTime }) => deletedDateTime?.toISOString() ?? null,
    appId: ({ appId }) => appId,
    displayName: ({ displayName }) => displayName,
    uniqueName: ({ uniqueName }) => uniqueName,
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    signInAudience: ({ signInAudience }) => signInAudience,
    identifierUris: ({ identifierUris }) => identifierUris,
    isFallbackPublicClient: ({ isFallbackPublicClient }) => isFallbackPublicClient,
    passwordAuthenticationAllowed: (one) => one.passwordAuthenticationAllowed,
    publisherDomain: ({ tenantId }, { directory }) =>
      directory.tenant(tenantId)?.domains[0] ?? null,
    api: ({ description, requestedAccessTokenVersion }) => ({
      ...apiDefaults,
      ...(description.api as object | undefined),
      requestedAccessTokenVersion,
    }),
    appRoles: ({ appRoles }) => appRoles.map(appRoleJson),
    requiredResourceAccess: ({ requiredResourceAccess }) => requiredResourceAccess,
    optionalClaims: ({ description, optionalAccessTokenClaims: claims }) =>
      claims.length === 0 && description.optionalClaims === undefined
        ? null
        : {
            ...userClaimDefaults,
            accessToken: claims.map((claim) => ({ source: null, essential: false, ...claim })),
            ...(description.optionalClaims as object | undefined),
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
    ...describedBy(applicationDefaults),
    web: ({ description }) => webJson({ ...applicationDefaults.web, ...Object(description.web) }),
    ...Object.fromEntries(
      Object.entries(fixedProperties).map(([name, value]) => [name, () => value]),
    ),
  },
}

/** Each redirect URI has settings of its own in the answers. */
const webJson = ({ redirectUris, ...web }: { readonly redirectUris: readonly string[] }) => ({
  ...web,
  redirectUris,
  redirectUriSettings: redirectUris.map((uri) => ({ uri, index: null })),
})
