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
import { complexType, defaultsOf, formsOf } from '../properties/property.ts'
import { appRoleType } from './app-role.ts'
import { maxValueLength } from './app-role-rules.ts'

/** The maximum number of entries in all collections of an application together, as in Entra ID. */
export const maxEntries = 1200
const maxResources = 50
/** The maximum number of permissions that an application requests from all resources together. */
export const maxPermissions = 400
const maxClaims = 100
const maxMembersOfClaim = 20

export const appRoles = bodyCollection(
  z
    .strictObject(formsOf(appRoleType.members))
    .transform(({ lang: _lang, origin: _origin, value, ...role }) => ({
      ...role,
      value: value === undefined || value === '' ? null : value,
    })),
  maxEntries,
)

const accessType = complexType('resourceAccess', {
  id: { body: guid },
  type: { body: z.enum(['Role', 'Scope']) },
})
export const resourceAccessType = complexType('requiredResourceAccess', {
  resourceAccess: {
    type: [accessType],
    body: bodyCollection(
      z.strictObject(formsOf(accessType.members)),
      maxPermissions,
      `must not hold more than ${maxPermissions} permissions`,
    ),
  },
  resourceAppId: { body: guid, filter: 'value', index: 'requestedApi' },
})
const { resourceAccess, resourceAppId } = formsOf(resourceAccessType.members)
export const requiredResourceAccess = bodyCollection(
  // The order of the answers.
  z.strictObject({ resourceAppId, resourceAccess }),
  maxResources,
  `must not name more than ${maxResources} resources`,
)

const claimType = complexType('optionalClaim', {
  additionalProperties: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(name(), maxMembersOfClaim).default([]),
  },
  essential: { type: 'Edm.Boolean', body: z.boolean().default(false) },
  name: { body: name() },
  source: { body: text().nullable().default(null) },
})
const { name: claimName, source, essential, additionalProperties } = formsOf(claimType.members)
const claims = {
  type: [claimType],
  // The order of the answers.
  body: bodyCollection(
    z.strictObject({ name: claimName, source, essential, additionalProperties }),
    maxClaims,
  ).default([]),
  initial: [],
} as const

/** The claims of access tokens, and of tokens for users, which this server does not issue. */
export const optionalClaimsType = complexType('optionalClaims', {
  accessToken: claims,
  idToken: claims,
  saml2Token: claims,
})
export const optionalClaims = z.strictObject(formsOf(optionalClaimsType.members)).nullable()

const maxScopes = 400
const maxClients = 100

export const scopeType = complexType('permissionScope', {
  adminConsentDescription: { body: text(1024).nullable().default(null) },
  adminConsentDisplayName: { body: text().nullable().default(null) },
  id: { body: guid },
  isEnabled: { type: 'Edm.Boolean', body: z.boolean().default(true) },
  type: { body: z.enum(['User', 'Admin']).default('User') },
  userConsentDescription: { body: text(1024).nullable().default(null) },
  userConsentDisplayName: { body: text().nullable().default(null) },
  value: {
    body: name(maxValueLength)
      .regex(/^(?!\.)[!#-[\]-~]+$/, 'must have the characters of the value of an app role')
      .nullable()
      .default(null),
  },
})
/** A scope: a permission that users would delegate. */
const scope = z
  .strictObject({
    ...formsOf(scopeType.members),
    lang: z.null().optional(),
    origin: z.literal('Application').optional(),
  })
  .transform(({ lang: _lang, origin: _origin, ...one }) => one)

const preAuthorizedType = complexType('preAuthorizedApplication', {
  appId: { body: guid },
  delegatedPermissionIds: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(guid, maxScopes),
  },
})

const hasDuplicates = (values: readonly unknown[]) => new Set(values).size < values.length

/** The properties of an API: its scopes, which have no effect, and its token version. */
export const apiType = complexType('apiApplication', {
  acceptMappedClaims: { type: 'Edm.Boolean', body: z.boolean().nullable() },
  knownClientApplications: {
    type: 'Collection(Edm.Guid)',
    body: bodyCollection(guid, maxClients).nullable(),
    initial: [],
  },
  oauth2PermissionScopes: {
    type: [scopeType],
    body: bodyCollection(scope, maxScopes)
      .refine(
        (scopes) => !hasDuplicates(scopes.map(({ id }) => id)),
        'must not contain two scopes with one id',
      )
      .refine(
        (scopes) => !hasDuplicates(scopes.flatMap(({ value }) => value ?? [])),
        'must not contain two scopes with one value',
      )
      .nullable(),
    initial: [],
  },
  preAuthorizedApplications: {
    type: [preAuthorizedType],
    body: bodyCollection(z.strictObject(formsOf(preAuthorizedType.members)), maxClients).nullable(),
    initial: [],
  },
  requestedAccessTokenVersion: { type: 'Edm.Int32', body: z.literal([1, 2]).nullable() },
})
export const api = complex(apiType)

const redirects = {
  redirectUris: {
    type: 'Collection(Edm.String)',
    body: redirectUris.nullable(),
    initial: [],
  },
} as const
export const publicClientType = complexType('publicClientApplication', redirects)
export const spaType = complexType('spaApplication', redirects)

const implicitType = complexType('implicitGrantSettings', {
  enableAccessTokenIssuance: {
    type: 'Edm.Boolean',
    body: z.boolean().nullable(),
    initial: false,
  },
  enableIdTokenIssuance: { type: 'Edm.Boolean', body: z.boolean().nullable(), initial: false },
})
const redirectSettingsType = complexType('redirectUriSettings', {
  index: { type: 'Edm.Int32', body: z.null().optional() },
  uri: { body: text() },
})

/** Pages and addresses for users. */
export const webType = complexType('webApplication', {
  homePageUrl: { body: webUrl.nullable() },
  implicitGrantSettings: {
    type: implicitType,
    body: complex(implicitType),
    initial: defaultsOf(implicitType),
  },
  logoutUrl: { body: webUrl.nullable() },
  // Shown for each redirect URI, and never of another value.
  redirectUriSettings: {
    type: [redirectSettingsType],
    body: bodyCollection(z.strictObject(formsOf(redirectSettingsType.members)), 256).nullable(),
  },
  ...redirects,
})
export const web = complex(webType).transform((web) => {
  if (web === null) return null
  const { redirectUriSettings: _shown, ...kept } = web
  return kept
})

export const informationalUrl = complexType('informationalUrl', {
  logoUrl: { body: z.null() },
  marketingUrl: { body: webUrl.nullable() },
  privacyStatementUrl: { body: webUrl.nullable() },
  supportUrl: { body: webUrl.nullable() },
  termsOfServiceUrl: { body: webUrl.nullable() },
})

export const parentalControlSettings = complexType('parentalControlSettings', {
  countriesBlockedForMinors: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(text(2), 300),
    initial: [],
  },
  legalAgeGroupRule: { body: text(), initial: 'Allow' },
})

const addInType = complexType('addIn', {
  id: { body: guid },
  properties: {
    type: [complexType('keyValue', { key: {}, value: {} })],
    body: bodyCollection(z.strictObject({ key: text(), value: text(1024) }), 100),
  },
  type: { body: text() },
})
/** The add-ins, which Microsoft services would call. No service here calls them. */
export const addIns = {
  inert: [],
  body: bodyCollection(z.strictObject(formsOf(addInType.members)), 100).nullable(),
  type: [addInType],
} as const

const flag = { type: 'Edm.Boolean', body: z.boolean().nullable() } as const
/** The properties that lock the credentials of service principals. */
export const lockType = complexType('servicePrincipalLockConfiguration', {
  isEnabled: { ...flag, initial: false },
  allProperties: flag,
  credentialsWithUsageVerify: flag,
  credentialsWithUsageSign: flag,
  tokenEncryptionKeyId: flag,
})
/** The signed requests of users, who cannot sign in here. */
export const signatureType = complexType('requestSignatureVerification', {
  isSignedRequestRequired: { ...flag, initial: false },
  allowedWeakAlgorithms: { body: z.literal('rsaSha1').nullable() },
})
export const behaviorsType = complexType('authenticationBehaviors', {
  blockAzureADGraphAccess: flag,
  removeUnverifiedEmailClaim: flag,
  requireClientServicePrincipal: flag,
})
export const windowsType = complexType('windowsApplication', {
  packageSid: { body: z.null() },
  ...redirects,
})

/** The verified publisher, which no application has here. */
export const verifiedPublisher = {
  fixed: { displayName: null, verifiedPublisherId: null, addedDateTime: null },
  type: complexType('verifiedPublisher', {
    addedDateTime: { type: 'Edm.DateTimeOffset' },
    displayName: {},
    verifiedPublisherId: {},
  }),
}
