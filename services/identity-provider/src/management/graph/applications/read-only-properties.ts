/**
 * Properties of an application in Microsoft Graph that have no effect here, with their fixed values.
 * For example, redirect URIs are always empty, because no user takes part.
 */
export const fixedProperties = {
  addIns: [],
  applicationTemplateId: null,
  description: null,
  disabledByMicrosoftStatus: null,
  groupMembershipClaims: null,
  info: {
    logoUrl: null,
    marketingUrl: null,
    privacyStatementUrl: null,
    supportUrl: null,
    termsOfServiceUrl: null,
  },
  isDeviceOnlyAuthSupported: null,
  notes: null,
  parentalControlSettings: { countriesBlockedForMinors: [], legalAgeGroupRule: 'Allow' },
  publicClient: { redirectUris: [] },
  samlMetadataUrl: null,
  serviceManagementReference: null,
  spa: { redirectUris: [] },
  tags: [],
  tokenEncryptionKeyId: null,
  web: {
    homePageUrl: null,
    logoutUrl: null,
    redirectUris: [],
    implicitGrantSettings: {
      enableAccessTokenIssuance: false,
      enableIdTokenIssuance: false,
    },
  },
} as const

/** The members of the property `api` that have a fixed value. */
export const fixedApi = {
  acceptMappedClaims: null,
  knownClientApplications: [],
  oauth2PermissionScopes: [],
  preAuthorizedApplications: [],
} as const

/**
 * Whether a value equals the fixed value of a property, or a part of it. Clients send such values
 * back after they have read the object.
 */
export function isFixedValue(value: unknown, fixed: unknown): boolean {
  if (value === null || value === undefined || value === fixed) return true
  if (Array.isArray(value)) return Array.isArray(fixed) && value.length === 0
  if (typeof value !== 'object' || typeof fixed !== 'object' || fixed === null) return false
  const members: Record<string, unknown> = { ...fixed }
  return Object.entries(value).every(
    ([name, member]) => Object.hasOwn(members, name) && isFixedValue(member, members[name]),
  )
}
