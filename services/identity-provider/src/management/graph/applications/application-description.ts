import { z } from 'zod'
import { bodyCollection, guid, name, text } from '../../../directory/properties/forms.ts'
import { complex, note, redirectUris, tags, webUrl } from '../description-body.ts'

/**
 * The descriptive properties of an application with the values that a new one has. They are kept and
 * shown. None has an effect, because no user takes part.
 */
export const applicationDefaults = {
  defaultRedirectUri: null,
  description: null,
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
  web: {
    homePageUrl: null,
    logoutUrl: null,
    redirectUris: [],
    implicitGrantSettings: { enableAccessTokenIssuance: false, enableIdTokenIssuance: false },
  },
} as const

/** The members of the property `api` that describe scopes for users, with the values of a new application. */
export const apiDefaults = {
  acceptMappedClaims: null,
  knownClientApplications: [],
  oauth2PermissionScopes: [],
  preAuthorizedApplications: [],
} as const

/** The optional claims of tokens for users and of SAML. They are kept and shown only. */
export const userClaimDefaults = { idToken: [], saml2Token: [] } as const

/** Properties of an application in Microsoft Graph that always have this value here. */
export const fixedProperties = {
  addIns: [],
  applicationTemplateId: null,
  certification: null,
  disabledByMicrosoftStatus: null,
  nativeAuthenticationApisEnabled: null,
  requestSignatureVerification: null,
  servicePrincipalLockConfiguration: null,
  tokenEncryptionKeyId: null,
  verifiedPublisher: { displayName: null, verifiedPublisherId: null, addedDateTime: null },
} as const

const maxScopes = 400
const maxClients = 100
const redirects = complex({ redirectUris: redirectUris.nullable() })

/** The form of each descriptive property in a body. */
export const descriptionShape = {
  defaultRedirectUri: webUrl.nullable(),
  description: note.nullable(),
  groupMembershipClaims: text().nullable(),
  info: complex({
    logoUrl: z.null(),
    marketingUrl: webUrl.nullable(),
    privacyStatementUrl: webUrl.nullable(),
    supportUrl: webUrl.nullable(),
    termsOfServiceUrl: webUrl.nullable(),
  }),
  isDeviceOnlyAuthSupported: z.boolean().nullable(),
  notes: note.nullable(),
  parentalControlSettings: complex({
    countriesBlockedForMinors: bodyCollection(text(2), 300),
    legalAgeGroupRule: text(),
  }),
  publicClient: redirects,
  samlMetadataUrl: webUrl.nullable(),
  serviceManagementReference: text().nullable(),
  spa: redirects,
  tags: tags.nullable(),
  web: complex({
    homePageUrl: webUrl.nullable(),
    logoutUrl: webUrl.nullable(),
    redirectUris: redirectUris.nullable(),
    // Shown for each redirect URI, and never of another value.
    redirectUriSettings: bodyCollection(
      z.strictObject({ uri: text(), index: z.null().optional() }),
      256,
    ).nullable(),
    implicitGrantSettings: complex({
      enableAccessTokenIssuance: z.boolean().nullable(),
      enableIdTokenIssuance: z.boolean().nullable(),
    }),
  }).transform((web) => {
    if (web === null) return null
    const { redirectUriSettings: _shown, ...kept } = web
    return kept
  }),
}

/** A scope: a permission that users would delegate. */
const scope = z
  .strictObject({
    adminConsentDescription: text(1024).nullish(),
    adminConsentDisplayName: text().nullish(),
    id: guid,
    isEnabled: z.boolean().default(true),
    lang: z.null().optional(),
    origin: z.literal('Application').optional(),
    type: z.enum(['User', 'Admin']).default('User'),
    userConsentDescription: text(1024).nullish(),
    userConsentDisplayName: text().nullish(),
    value: name().nullish(),
  })
  .transform(({ lang: _lang, origin: _origin, ...one }) => ({
    adminConsentDescription: one.adminConsentDescription ?? null,
    adminConsentDisplayName: one.adminConsentDisplayName ?? null,
    id: one.id,
    isEnabled: one.isEnabled,
    type: one.type,
    userConsentDescription: one.userConsentDescription ?? null,
    userConsentDisplayName: one.userConsentDisplayName ?? null,
    value: one.value ?? null,
  }))

const hasDuplicates = (values: readonly unknown[]) => new Set(values).size < values.length

/** The form of the members of `api` that describe scopes. */
export const apiShape = {
  acceptMappedClaims: z.boolean().nullable(),
  knownClientApplications: bodyCollection(guid, maxClients).nullable(),
  oauth2PermissionScopes: bodyCollection(scope, maxScopes)
    .refine(
      (scopes) => !hasDuplicates(scopes.map(({ id }) => id)),
      'must not contain two scopes with one id',
    )
    .refine(
      (scopes) => !hasDuplicates(scopes.flatMap(({ value }) => value ?? [])),
      'must not contain two scopes with one value',
    )
    .nullable(),
  preAuthorizedApplications: bodyCollection(
    z.strictObject({ appId: guid, delegatedPermissionIds: bodyCollection(guid, maxScopes) }),
    maxClients,
  ).nullable(),
}
