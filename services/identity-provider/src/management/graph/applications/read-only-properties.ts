/**
 * Properties of an application that Microsoft Graph has and that mean nothing here, with the value
 * that they always have. A redirect URI, for example, is left empty: no human takes part.
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

/** The same for the members of the property `api`. */
export const fixedApi = {
  acceptMappedClaims: null,
  knownClientApplications: [],
  oauth2PermissionScopes: [],
  preAuthorizedApplications: [],
} as const

/**
 * Whether a value says nothing beyond what a fixed property always says: all of it, some of it, or
 * nothing, as clients send it back that read the object before.
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
