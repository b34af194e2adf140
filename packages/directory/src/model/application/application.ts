// Folder: The entity application: its type, the table of its properties, its credentials and rules.

import { z } from 'zod'
import {
  bodyCollection,
  complex,
  inertObject,
  name,
  note,
  tags,
  text,
  webUrl,
} from '../properties/forms.ts'
import type { InertProperties } from '../properties/inert-properties.ts'
import {
  type ComplexType,
  complexType,
  defaultsOf,
  inertDefaults,
  initialValues,
  type PropertyTable,
} from '../properties/property.ts'
import { domainsOf, type Tenant } from '../tenant.ts'
import { type AppRole, appRoleJson, appRoleType } from './app-role.ts'
import * as forms from './application-forms.ts'
import type { Blueprint } from './blueprint.ts'
import { lastUseOf } from './credential.ts'
import type { ExtensionProperty } from './extension-property.ts'
import type { FederatedIdentityCredential } from './federated-identity-credential.ts'
import {
  isKeySelected,
  type KeyCredential,
  keyCredentialJson,
  keyCredentialType,
} from './key-credential.ts'
import {
  type PasswordCredential,
  passwordCredentialJson,
  passwordCredentialType,
} from './password-credential.ts'

/** Who may use an application. All but the first permit other tenants. No personal account exists here. */
const signInAudiences = [
  'AzureADMyOrg',
  'AzureADMultipleOrgs',
  'AzureADandPersonalMicrosoftAccount',
] as const

type SignInAudience = (typeof signInAudiences)[number]

/** The permissions that a client requests of one API. A request grants nothing. */
type RequiredResourceAccess = {
  readonly resourceAppId: string
  readonly resourceAccess: readonly { readonly id: string; readonly type: 'Role' | 'Scope' }[]
}

/** An additional claim of the access tokens for a resource. */
type OptionalClaim = {
  readonly name: string
  /** `user` for an extension attribute of a user; default null for a predefined claim. */
  readonly source?: string | null
  /** Default false. */
  readonly essential?: boolean
  readonly additionalProperties: readonly string[]
}

/** What applications and service principals have in common. */
export type OwnedObject = {
  readonly tenantId: string
  readonly displayName: string
  readonly createdDateTime: Date
  /** The object IDs of users and service principals. Ownership grants no permission. */
  readonly ownerIds: readonly string[]
  /** Assigned policies, at most one of each kind. One that is gone has no effect. */
  readonly policyIds: readonly string[]
  /** The application ID of the client that created it in Microsoft Graph. Agent identities show it. */
  readonly createdByAppId: string | null
}

/** A registration in the tenant that owns it: an API, a client, or both. */
export type Application = OwnedObject & {
  /** Object ID: a GUID in lower case. Of a blueprint it is `appId`, unless an earlier release created it. */
  readonly id: string
  /** Application ID, the `client_id` at the token endpoint: a GUID in lower case. */
  readonly appId: string
  /** A name that a client chose at creation, unique in the tenant. It never changes. */
  readonly uniqueName: string | null
  /** The time of its soft deletion. Until it is purged, it can be restored and keeps its identifier URIs. */
  readonly deletedDateTime: Date | null
  /** Whether other tenants may have a service principal of it. */
  readonly signInAudience: SignInAudience
  /** Names of the API, unique in the tenant. */
  readonly identifierUris: readonly string[]
  /** The version of the tokens for this API; null means 1. */
  readonly requestedAccessTokenVersion: 1 | 2 | null
  /** The additional claims of the access tokens for this API. */
  readonly optionalAccessTokenClaims: readonly OptionalClaim[]
  readonly appRoles: readonly AppRole[]
  readonly requiredResourceAccess: readonly RequiredResourceAccess[]
  /** A public client cannot keep a credential secret, so it gets no token here. */
  readonly isFallbackPublicClient: boolean | null
  /** When false, only assertions authenticate this client, even if it has secrets. */
  readonly passwordAuthenticationAllowed: boolean
  readonly passwordCredentials: readonly PasswordCredential[]
  readonly keyCredentials: readonly KeyCredential[]
  readonly federatedIdentityCredentials: readonly FederatedIdentityCredential[]
  readonly extensionProperties: readonly ExtensionProperty[]
  /** Null for an application that is not the blueprint of agent identities. */
  readonly blueprint: Blueprint | null
  /** The properties of `applicationProperties` that have a default in `inert`, and members of `api` and `optionalClaims`. */
  readonly inertProperties: InertProperties
}

/** The parts of `api` and `optionalClaims` that are kept and shown only, with their defaults. */
const { requestedAccessTokenVersion: _version, ...apiDefaults } = defaultsOf(forms.apiType)
const { accessToken: _claims, ...userClaimDefaults } = defaultsOf(forms.optionalClaimsType)
const { redirectUriSettings: _shown, ...webDefaults } = defaultsOf(forms.webType)

const claimDefaults = { source: null, essential: false }

export const scopesOf = (application: Application | undefined) =>
  (application?.inertProperties.api as z.output<typeof forms.api> | undefined)
    ?.oauth2PermissionScopes ?? []

/** The predefined claims that an API requests for its access tokens. User attributes are never among them. */
export const requestedClaims = ({ optionalAccessTokenClaims }: Application) =>
  optionalAccessTokenClaims.filter(({ source }) => !source)

/** True if an API accepts tokens with the claims of a claims mapping policy. */
export const acceptsMappedClaims = ({ inertProperties: { api } }: Application): boolean =>
  Object(api).acceptMappedClaims === true

/** True if credentials of an application's service principals cannot be changed (entra E315). */
export function locksCredentials({ inertProperties }: Application): boolean {
  const lock = Object(inertProperties.servicePrincipalLockConfiguration)
  return lock.isEnabled === true && Boolean(lock.allProperties || lock.credentialsWithUsageVerify)
}

/** The row of an object that is null until a client writes it. Its type has the name of the property. */
const optionalObject = (type: ComplexType) => ({
  inert: null,
  body: complex(type),
  type,
  show: ({ inertProperties: { [type.type]: value } }: Application) =>
    value === undefined ? null : { ...defaultsOf(type), ...Object(value) },
})

/**
 * The properties of an application.
 *
 * @see https://learn.microsoft.com/graph/api/resources/application
 */
export const applicationProperties: PropertyTable<
  Application,
  { tenant(id: string): Tenant | undefined }
> = {
  // Terraform reads this property of the beta version.
  oauth2RequirePostResponse: { fixed: false, isSelectedOnly: true, type: 'Edm.Boolean' },
  id: { column: ['id'], filter: 'value', index: 'id' },
  tenantId: { column: ['tenant_id'], show: false },
  deletedDateTime: { initial: null, column: ['deleted_at', 'time'], isSortable: true },
  appId: { column: ['app_id'], filter: 'value', hasStartsWith: true, index: 'appId' },
  // The order of these is that of Graph (entra E278).
  applicationTemplateId: { fixed: null },
  disabledByMicrosoftStatus: { fixed: null },
  createdDateTime: { column: ['created_at', 'time'], filter: 'time', isSortable: true },
  displayName: {
    column: ['display_name'],
    body: name(),
    filter: 'value',
    hasStartsWith: true,
    isSearchable: true,
    isSortable: true,
    index: 'displayName',
  },
  uniqueName: {
    initial: null,
    column: ['unique_name'],
    body: name().nullable(),
    isSetAtCreation: true,
    filter: 'value',
  },
  signInAudience: {
    initial: 'AzureADMyOrg',
    column: ['sign_in_audience'],
    body: z.enum(signInAudiences),
    filter: 'value',
  },
  identifierUris: {
    initial: [],
    column: ['identifier_uris', 'json'],
    body: bodyCollection(text(255), forms.maxEntries),
    type: 'Collection(Edm.String)',
    filter: 'collection',
    hasStartsWith: true,
    index: 'identifierUri',
  },
  isFallbackPublicClient: {
    initial: null,
    column: ['is_fallback_public_client', 'boolean'],
    body: z.boolean().nullable(),
  },
  passwordAuthenticationAllowed: {
    initial: true,
    column: ['password_authentication_allowed', 'boolean'],
    body: z.boolean(),
  },
  publisherDomain: {
    show: ({ tenantId }, { directory }) => {
      const tenant = directory.tenant(tenantId)
      return tenant === undefined ? null : (domainsOf(tenant)[0] ?? null)
    },
  },
  api: {
    body: forms.api,
    show: ({ inertProperties, requestedAccessTokenVersion }) => ({
      ...apiDefaults,
      ...(inertProperties.api as object | undefined),
      requestedAccessTokenVersion,
    }),
    type: forms.apiType,
  },
  requestedAccessTokenVersion: {
    initial: null,
    column: ['requested_access_token_version'],
    show: false,
  },
  appRoles: {
    initial: [],
    body: forms.appRoles,
    show: ({ appRoles }) => appRoles.map(appRoleJson),
    type: [appRoleType],
    filter: 'members',
  },
  requiredResourceAccess: {
    initial: [],
    column: ['required_resource_access', 'json'],
    body: forms.requiredResourceAccess,
    type: [forms.resourceAccessType],
    filter: 'members',
  },
  optionalClaims: {
    body: forms.optionalClaims,
    show: ({ inertProperties, optionalAccessTokenClaims: claims }) =>
      claims.length === 0 && inertProperties.optionalClaims === undefined
        ? null
        : {
            ...userClaimDefaults,
            accessToken: claims.map(({ name, ...one }) => ({ name, ...claimDefaults, ...one })),
            ...(inertProperties.optionalClaims as object | undefined),
          },
    type: forms.optionalClaimsType,
  },
  optionalAccessTokenClaims: {
    initial: [],
    column: ['optional_access_token_claims', 'json'],
    show: false,
  },
  passwordCredentials: {
    initial: [],
    show: (application, view) =>
      application.passwordCredentials.map((one) =>
        passwordCredentialJson(one, lastUseOf(application, one, view)),
      ),
    type: [passwordCredentialType],
    filter: 'members',
  },
  keyCredentials: {
    initial: [],
    show: (application, view) =>
      application.keyCredentials.map((one) =>
        keyCredentialJson(one, lastUseOf(application, one, view), isKeySelected(view)),
      ),
    type: [keyCredentialType],
    filter: 'members',
  },
  federatedIdentityCredentials: { initial: [], show: false },
  extensionProperties: { initial: [], column: ['extension_properties', 'json'], show: false },
  blueprint: { initial: null, column: ['blueprint', 'json'], show: false },
  ownerIds: { initial: [], column: ['owner_ids', 'json'], show: false },
  createdByAppId: {
    initial: null,
    column: ['created_by_app_id'],
    show: (one) => (one.blueprint === null ? undefined : one.createdByAppId),
  },
  policyIds: { initial: [], column: ['policy_ids', 'json'], show: false },
  inertProperties: { initial: {}, column: ['description', 'json'], show: false },
  defaultRedirectUri: { inert: null, body: webUrl.nullable() },
  description: { inert: null, body: note.nullable() },
  groupMembershipClaims: { inert: null, body: text().nullable() },
  info: inertObject(forms.informationalUrl),
  isDeviceOnlyAuthSupported: { inert: null, body: z.boolean().nullable(), type: 'Edm.Boolean' },
  notes: { inert: null, body: note.nullable() },
  parentalControlSettings: inertObject(forms.parentalControlSettings),
  publicClient: inertObject(forms.publicClientType),
  samlMetadataUrl: { inert: null, body: webUrl.nullable() },
  serviceManagementReference: { inert: null, body: text().nullable() },
  spa: inertObject(forms.spaType),
  tags: { inert: [], body: tags.nullable(), type: 'Collection(Edm.String)', filter: 'collection' },
  web: {
    inert: webDefaults,
    body: forms.web,
    show: ({ inertProperties }) => webJson({ ...webDefaults, ...Object(inertProperties.web) }),
    type: forms.webType,
  },
  addIns: forms.addIns,
  certification: { fixed: null, type: complexType('certification', {}) },
  nativeAuthenticationApisEnabled: { inert: null, body: z.enum(['none', 'all']).nullable() },
  requestSignatureVerification: optionalObject(forms.signatureType),
  servicePrincipalLockConfiguration: optionalObject(forms.lockType),
  authenticationBehaviors: { ...optionalObject(forms.behaviorsType), isSelectedOnly: true },
  windows: { ...inertObject(forms.windowsType), isSelectedOnly: true },
  tokenEncryptionKeyId: { fixed: null, type: 'Edm.Guid' },
  verifiedPublisher: forms.verifiedPublisher,
}

/** Each redirect URI has separate settings in the responses. */
const webJson = ({
  implicitGrantSettings,
  redirectUris,
  ...web
}: {
  readonly implicitGrantSettings: unknown
  readonly redirectUris: readonly string[]
}) => ({
  ...web,
  implicitGrantSettings,
  redirectUris,
  redirectUriSettings: redirectUris.map((uri) => ({ uri, index: null })),
})

/** The defaults of the properties that are stored and returned, without effect. */
export const inertApplicationDefaults: InertProperties = {
  ...inertDefaults(applicationProperties),
  api: apiDefaults,
  optionalClaims: userClaimDefaults,
}

type Given = Pick<Application, 'id' | 'tenantId' | 'appId' | 'displayName' | 'createdDateTime'> &
  Partial<Application>

const initial = initialValues(applicationProperties)

/** Creates an application with these properties, and without roles, permissions and credentials by default. */
export const newApplication = (given: Given): Application =>
  ({ ...initial, ...given }) as Application
