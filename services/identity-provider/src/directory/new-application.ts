import type { Application } from './application.ts'

type Given = Pick<Application, 'id' | 'tenantId' | 'appId' | 'displayName' | 'createdDateTime'> &
  Partial<Application>

/** An application that is nothing yet but what is given: no API, no client, without a credential. */
export const newApplication = (given: Given): Application => ({
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
  ...given,
})
