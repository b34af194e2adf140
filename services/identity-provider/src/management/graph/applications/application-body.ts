import { z } from 'zod'
import type { Application } from '../../../directory/application.ts'
import { refuse } from '../../http/graph-error.ts'
import { omitUndefined, parseBody } from '../../http/parse-body.ts'
import { bodyCollection, guid, name, text } from '../../http/schemas.ts'
import { type KeyCredentialBody, keyCredentialBody } from './key-credential-body.ts'
import { fixedApi, fixedProperties, isFixedValue } from './read-only-properties.ts'

/** The sum of the entries of all collections of an application, as in Entra ID. */
export const maxEntries = 1200
const maxResources = 50
/** The sum of the permissions that an application requests from all resources. */
export const maxPermissions = 400
const maxCertificates = 100
const maxClaims = 100
const maxMembersOfClaim = 20

const readOnlyProperties = new Set([
  'id',
  'appId',
  'createdDateTime',
  'deletedDateTime',
  'publisherDomain',
])

/** An entry of `appRoles`, in the form of Graph or with all members of a manifest. */
const appRole = z
  .strictObject({
    allowedMemberTypes: bodyCollection(z.enum(['Application', 'User']), 2),
    description: text(1024),
    displayName: text(),
    id: guid,
    isEnabled: z.boolean().default(true),
    lang: z.null().optional(),
    origin: z.literal('Application').optional(),
    value: text().nullish(),
  })
  .transform(({ lang: _lang, origin: _origin, value, ...role }) => ({
    ...role,
    value: value === undefined || value === '' ? null : value,
  }))

const requiredResourceAccess = z.strictObject({
  resourceAppId: guid,
  resourceAccess: bodyCollection(
    z.strictObject({ id: guid, type: z.enum(['Role', 'Scope']) }),
    maxPermissions,
    `must not hold more than ${maxPermissions} permissions`,
  ),
})

const accessTokenClaim = z
  .strictObject({
    name: name(),
    source: z.null().optional(),
    essential: z.literal(false).optional(),
    additionalProperties: bodyCollection(name(), maxMembersOfClaim).default([]),
  })
  .transform(({ name, additionalProperties }) => ({ name, additionalProperties }))

const optionalClaims = z
  .strictObject({
    accessToken: bodyCollection(accessTokenClaim, maxClaims).default([]),
    idToken: bodyCollection(z.never(), 0, 'must be empty').optional(),
    saml2Token: bodyCollection(z.never(), 0, 'must be empty').optional(),
  })
  .nullable()
  .transform((claims) => claims?.accessToken ?? [])

const api = z
  .looseObject({ requestedAccessTokenVersion: z.literal([1, 2]).nullish() })
  .refine(({ requestedAccessTokenVersion: _version, ...rest }) => isFixedValue(rest, fixedApi), {
    error: 'must contain only requestedAccessTokenVersion; scopes are for users',
  })

const applicationBody = z
  .strictObject({
    displayName: name(),
    signInAudience: z.enum(['AzureADMyOrg', 'AzureADMultipleOrgs']),
    identifierUris: bodyCollection(text(255), maxEntries),
    isFallbackPublicClient: z
      .boolean()
      .nullable()
      .transform((value) => value ?? false),
    passwordAuthenticationAllowed: z.boolean(),
    api,
    appRoles: bodyCollection(appRole, maxEntries),
    requiredResourceAccess: bodyCollection(
      requiredResourceAccess,
      maxResources,
      `must not name more than ${maxResources} resources`,
    ),
    optionalClaims,
    keyCredentials: bodyCollection(keyCredentialBody, maxCertificates),
    passwordCredentials: bodyCollection(z.looseObject({ keyId: guid }), maxEntries),
  })
  .partial()

/** The changes that a body requests. Missing properties do not change. */
export type ApplicationPatch = {
  readonly properties: Partial<Application>
  /** The whole collection, if the body contains it. */
  readonly keyCredentials: readonly KeyCredentialBody[] | undefined
  /** The secrets that the body names. It can neither add nor remove one. */
  readonly passwordKeyIds: readonly string[] | undefined
}

/**
 * Parses the body of `POST` and `PATCH /applications`.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseApplication(body: unknown): ApplicationPatch {
  const { api, keyCredentials, optionalClaims, passwordCredentials, ...rest } = parseBody(
    applicationBody,
    dropFixedProperties(body),
  )
  return {
    keyCredentials,
    passwordKeyIds: passwordCredentials?.map(({ keyId }) => keyId),
    properties: omitUndefined({
      ...rest,
      requestedAccessTokenVersion: api?.requestedAccessTokenVersion,
      optionalAccessTokenClaims: optionalClaims,
    }),
  }
}

/** Refuses read-only properties. Drops control information and properties with their fixed value. */
function dropFixedProperties(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fixed: Record<string, unknown> = fixedProperties
  const kept = Object.entries(body).filter(([property, value]) => {
    // References are not kept.
    if (property.endsWith('@odata.bind')) return false
    if (readOnlyProperties.has(property)) {
      throw refuse('body_invalid', `Property '${property}' is read-only and cannot be set.`)
    }
    if (!Object.hasOwn(fixed, property)) return true
    if (isFixedValue(value, fixed[property])) return false
    throw refuse('body_invalid', `Property '${property}' can only have its default value here.`)
  })
  return Object.fromEntries(kept)
}
