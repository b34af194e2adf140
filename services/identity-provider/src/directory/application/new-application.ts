import type { Application } from './application.ts'

type Given = Pick<Application, 'id' | 'tenantId' | 'appId' | 'displayName' | 'createdDateTime'> &
  Partial<Application>

/** Creates an application with these properties, and without roles, permissions and credentials by default. */
export const newApplication = (given: Given): Application => ({
  uniqueName: null,
  deletedDateTime: null,
  signInAudience: 'AzureADMyOrg',
  identifierUris: [],
  requestedAccessTokenVersion: null,
  optionalAccessTokenClaims: [],
  appRoles: [],
  requiredResourceAccess: [],
  isFallbackPublicClient: false,
  passwordAuthenticationAllowed: true,
  passwordCredentials: [],
  keyCredentials: [],
  federatedIdentityCredentials: [],
  ownerIds: [],
  description: {},
  ...given,
})
