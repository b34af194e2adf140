import { z } from 'zod'
import {
  bodyCollection,
  complex,
  guid,
  name,
  redirectUris,
  text,
  webUrl,
} from '../properties/forms.ts'

/** The sum of the entries of all collections of an application, as in Entra ID. */
export const maxEntries = 1200
const maxResources = 50
/** The sum of the permissions that an application requests from all resources. */
export const maxPermissions = 400
const maxClaims = 100
const maxMembersOfClaim = 20

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
])

/** An entry of `appRoles`, in the form of Graph or with all members of a manifest. */
const appRole = z
  .strictObject({
    allowedMemberTypes: bodyCollection(z.enum(['Application', 'User']), 2),
    description: text(1024),
    displayName: text(),
    id: guid,
    // The help of Azure CLI has an example with a text.
    isEnabled: z.preprocess((value) => booleans.get(value) ?? value, z.boolean().default(true)),
    lang: z.null().optional(),
    origin: z.literal('Application').optional(),
    value: text().nullish(),
  })
  .transform(({ lang: _lang, origin: _origin, value, ...role }) => ({
    ...role,
    value: value === undefined || value === '' ? null : value,
  }))

export const appRoles = bodyCollection(appRole, maxEntries)

export const requiredResourceAccess = bodyCollection(
  z.strictObject({
    resourceAppId: guid,
    resourceAccess: bodyCollection(
      z.strictObject({ id: guid, type: z.enum(['Role', 'Scope']) }),
      maxPermissions,
      `must not hold more than ${maxPermissions} permissions`,
    ),
  }),
  maxResources,
  `must not name more than ${maxResources} resources`,
)

const claimShape = {
  name: name(),
  source: z.null().optional(),
  essential: z.literal(false).optional(),
  additionalProperties: bodyCollection(name(), maxMembersOfClaim).default([]),
}
const accessTokenClaim = z
  .strictObject(claimShape)
  .transform(({ name, additionalProperties }) => ({ name, additionalProperties }))

/** A claim of tokens for users, which this server does not issue. */
const userClaim = z
  .strictObject({ ...claimShape, source: name().nullish(), essential: z.boolean().optional() })
  .transform(({ additionalProperties, essential = false, name, source = null }) => ({
    additionalProperties,
    essential,
    name,
    source,
  }))

export const optionalClaims = z
  .strictObject({
    accessToken: bodyCollection(accessTokenClaim, maxClaims).default([]),
    idToken: bodyCollection(userClaim, maxClaims).default([]),
    saml2Token: bodyCollection(userClaim, maxClaims).default([]),
  })
  .nullable()

const maxScopes = 400
const maxClients = 100
export const redirects = complex({ redirectUris: redirectUris.nullable() })

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

/** The scopes of an API, which have no effect, and the version of its tokens. */
export const api = complex({
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
  requestedAccessTokenVersion: z.literal([1, 2]).nullable(),
})

/** Pages and addresses for users. */
export const web = complex({
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
})

export const info = complex({
  logoUrl: z.null(),
  marketingUrl: webUrl.nullable(),
  privacyStatementUrl: webUrl.nullable(),
  supportUrl: webUrl.nullable(),
  termsOfServiceUrl: webUrl.nullable(),
})

export const parentalControlSettings = complex({
  countriesBlockedForMinors: bodyCollection(text(2), 300),
  legalAgeGroupRule: text(),
})
