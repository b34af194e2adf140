// Folder: The entity service principal and its app role assignments: types and tables of properties.

import { z } from 'zod'
import { appRoleJson, appRoleType } from '../application/app-role.ts'
import {
  type Application,
  applicationProperties,
  type OwnedObject,
  scopesOf,
} from '../application/application.ts'
import {
  addIns,
  informationalUrl,
  scopeType,
  verifiedPublisher,
} from '../application/application-forms.ts'
import { lastUseOf } from '../application/credential.ts'
import {
  isKeySelected,
  type KeyCredential,
  keyCredentialJson,
  keyCredentialType,
} from '../application/key-credential.ts'
import {
  type PasswordCredential,
  passwordCredentialJson,
  passwordCredentialType,
} from '../application/password-credential.ts'
import {
  bodyCollection,
  complex,
  note,
  redirectUris,
  tags,
  text,
  webUrl,
} from '../properties/forms.ts'
import type { InertProperties } from '../properties/inert-properties.ts'
import {
  complexType,
  inertDefaults,
  initialValues,
  type PropertyTable,
  type PropertyView,
} from '../properties/property.ts'
import type { Runtime } from '../runtime.ts'
import type { Tenant } from '../tenant.ts'

/**
 * A consent to act for users, kept for the tools that write and read it. It grants nothing here, because
 * no user takes part.
 */
export type DelegatedConsent = {
  /** Base64url, with case. It contains the ID of the client. */
  readonly id: string
  readonly consentType: 'AllPrincipals' | 'Principal'
  /** The object ID of the user; null for all users. */
  readonly principalId: string | null
  /** The object ID of the API's service principal. */
  readonly resourceId: string
  /** The values of scopes, with spaces between them. */
  readonly scope: string
}

/**
 * The object of an application in one tenant, or an agent identity, which has no application. It receives
 * app role assignments.
 */
export type ServicePrincipal = OwnedObject & {
  /** Object ID: a GUID in lower case, `oid` and `sub` in the tokens of this client. */
  readonly id: string
  /** The application ID of its application; of an agent identity its own object ID. */
  readonly appId: string
  readonly deletedDateTime: Date | null
  /** When false, no token is issued to it or for it. */
  readonly accountEnabled: boolean
  /** When true, a client without a role of the API gets no token for the API. */
  readonly appRoleAssignmentRequired: boolean
  /** Secrets that authenticate the application in this tenant only. */
  readonly passwordCredentials: readonly PasswordCredential[]
  /** Certificates that authenticate the application in this tenant only. */
  readonly keyCredentials: readonly KeyCredential[]
  readonly delegatedConsents: readonly DelegatedConsent[]
  /** The application ID of the blueprint of an agent identity; null for the principal of an application. */
  readonly agentIdentityBlueprintId: string | null
  /** The object IDs of users and groups. They are kept only. */
  readonly sponsorIds: readonly string[]
  /** The properties of `servicePrincipalProperties` that have a default in `inert`. */
  readonly inertProperties: InertProperties
}

type Lookups = {
  applicationByAppId(appId: string): Application | undefined
  tenant(id: string): Tenant | undefined
}

const applicationOf = (
  { appId }: Pick<ServicePrincipal, 'appId'>,
  { directory }: Pick<PropertyView<Lookups>, 'directory'>,
) => directory.applicationByAppId(appId)

const isOfBlueprint = (...of: Parameters<typeof applicationOf>) =>
  Boolean(applicationOf(...of)?.blueprint)

const samlSettings = complexType('samlSingleSignOnSettings', {
  relayState: { body: text(2048).nullable() },
})

/**
 * The properties of a service principal. Some come from its application.
 *
 * @see https://learn.microsoft.com/graph/api/resources/serviceprincipal
 */
export const servicePrincipalProperties: PropertyTable<ServicePrincipal, Lookups> = {
  id: { column: ['id'], filter: 'value', index: 'id' },
  tenantId: { column: ['tenant_id'], show: false },
  deletedDateTime: { initial: null, column: ['deleted_at', 'time'], isSortable: true },
  accountEnabled: {
    initial: true,
    column: ['account_enabled', 'boolean'],
    body: z.boolean(),
    filter: 'value',
  },
  appDescription: {
    show: (one, view) => applicationOf(one, view)?.inertProperties.description ?? null,
  },
  appDisplayName: { show: (one, view) => applicationOf(one, view)?.displayName ?? one.displayName },
  appId: { column: ['app_id'], filter: 'value', hasStartsWith: true, index: 'appId' },
  appOwnerOrganizationId: {
    show: (one, view) => applicationOf(one, view)?.tenantId ?? null,
    type: 'Edm.Guid',
    filter: 'value',
  },
  appRoleAssignmentRequired: {
    initial: false,
    column: ['app_role_assignment_required', 'boolean'],
    body: z.boolean(),
  },
  appRoles: {
    show: (one, view) => (applicationOf(one, view)?.appRoles ?? []).map(appRoleJson),
    type: [appRoleType],
  },
  createdDateTime: { column: ['created_at', 'time'], filter: 'time', isSortable: true },
  displayName: {
    column: ['display_name'],
    filter: 'value',
    hasStartsWith: true,
    isSearchable: true,
    isSortable: true,
    index: 'displayName',
  },
  info: {
    show: (one, view) =>
      applicationOf(one, view)?.inertProperties.info ?? applicationProperties.info?.inert,
    type: informationalUrl,
  },
  oauth2PermissionScopes: {
    show: (one, view) => scopesOf(applicationOf(one, view)),
    type: [scopeType],
  },
  keyCredentials: {
    initial: [],
    column: ['key_credentials', 'certificates'],
    show: (one, view) =>
      one.keyCredentials.map((credential) =>
        keyCredentialJson(
          credential,
          lastUseOf(applicationOf(one, view), credential, view),
          isKeySelected(view),
        ),
      ),
    type: [keyCredentialType],
  },
  passwordCredentials: {
    initial: [],
    column: ['password_credentials', 'secrets'],
    show: (one, view) =>
      one.passwordCredentials.map((credential) =>
        passwordCredentialJson(credential, lastUseOf(applicationOf(one, view), credential, view)),
      ),
    type: [passwordCredentialType],
  },
  servicePrincipalNames: {
    show: (one, view) => [one.appId, ...(applicationOf(one, view)?.identifierUris ?? [])],
    type: 'Collection(Edm.String)',
    filter: 'collection',
    hasStartsWith: true,
    index: 'name',
  },
  servicePrincipalType: {
    show: ({ agentIdentityBlueprintId }) =>
      agentIdentityBlueprintId === null ? 'Application' : 'ServiceIdentity',
    filter: 'value',
  },
  signInAudience: { show: (one, view) => applicationOf(one, view)?.signInAudience ?? null },
  delegatedConsents: { initial: [], column: ['delegated_consents', 'json'], show: false },
  ownerIds: { initial: [], column: ['owner_ids', 'json'], show: false },
  policyIds: { initial: [], column: ['policy_ids', 'json'], show: false },
  agentIdentityBlueprintId: {
    initial: null,
    column: ['agent_blueprint_id'],
    show: (one) => one.agentIdentityBlueprintId ?? undefined,
    filter: 'value',
  },
  sponsorIds: { initial: [], column: ['sponsor_ids', 'json'], show: false },
  createdByAppId: {
    initial: null,
    column: ['created_by_app_id'],
    show: (one, view) =>
      one.agentIdentityBlueprintId || isOfBlueprint(one, view) ? one.createdByAppId : undefined,
  },
  inertProperties: { initial: {}, column: ['description', 'json'], show: false },
  alternativeNames: {
    inert: [],
    body: bodyCollection(text(), 100).nullable(),
    type: 'Collection(Edm.String)',
  },
  description: { inert: null, body: note.nullable() },
  homepage: { inert: null, body: webUrl.nullable() },
  loginUrl: { inert: null, body: webUrl.nullable() },
  logoutUrl: { inert: null, body: webUrl.nullable() },
  notes: { inert: null, body: note.nullable() },
  notificationEmailAddresses: {
    inert: [],
    body: bodyCollection(text(), 10).nullable(),
    type: 'Collection(Edm.String)',
  },
  preferredSingleSignOnMode: {
    inert: null,
    body: z.enum(['password', 'saml', 'notSupported', 'oidc']).nullable(),
  },
  preferredTokenSigningKeyThumbprint: { inert: null, body: text().nullable() },
  replyUrls: { inert: [], body: redirectUris.nullable(), type: 'Collection(Edm.String)' },
  samlSingleSignOnSettings: {
    inert: null,
    body: complex(samlSettings),
    type: samlSettings,
  },
  tags: { inert: [], body: tags.nullable(), type: 'Collection(Edm.String)', filter: 'collection' },
  addIns,
  applicationTemplateId: { fixed: null },
  disabledByMicrosoftStatus: { fixed: null },
  resourceSpecificApplicationPermissions: {
    fixed: [],
    type: [complexType('resourceSpecificPermission', {})],
  },
  samlMetadataUrl: { fixed: null },
  tokenEncryptionKeyId: { fixed: null, type: 'Edm.Guid' },
  verifiedPublisher,
  // Only the principals of blueprints show these two.
  publisherName: {
    show: (one, view) =>
      isOfBlueprint(one, view) ? view.directory.tenant(one.tenantId)?.displayName : undefined,
  },
  publishedPermissionScopes: {
    show: (one, view) =>
      isOfBlueprint(one, view) ? scopesOf(applicationOf(one, view)) : undefined,
    type: [scopeType],
  },
}

/** The Azure resource of a managed identity: the alternative name that is its path (entra E261). */
export const managedIdentityOf = ({ inertProperties }: ServicePrincipal): string | undefined =>
  ((inertProperties.alternativeNames ?? []) as readonly string[]).find((name) =>
    name.startsWith('/subscriptions/'),
  )

/** The defaults of the properties that are stored and returned, without effect. */
export const inertPrincipalDefaults = inertDefaults(servicePrincipalProperties)

const initial = initialValues(servicePrincipalProperties)

/** Creates the service principal of an application in a tenant. */
export const newServicePrincipal = (
  tenantId: string,
  { appId, displayName }: Pick<Application, 'appId' | 'displayName'>,
  source: Runtime,
): ServicePrincipal =>
  ({
    ...initial,
    id: source.newGuid(),
    tenantId,
    appId,
    displayName,
    createdDateTime: source.now(),
  }) as ServicePrincipal

/** Creates an agent identity, which is disabled and deleted like every service principal. */
export const newAgentIdentity = (
  tenantId: string,
  given: Pick<ServicePrincipal, 'displayName' | 'sponsorIds' | 'createdByAppId'> & {
    readonly agentIdentityBlueprintId: string
  },
  source: Runtime,
  id = source.newGuid(),
): ServicePrincipal => ({
  ...newServicePrincipal(tenantId, { appId: id, displayName: given.displayName }, source),
  ...given,
  id,
})
