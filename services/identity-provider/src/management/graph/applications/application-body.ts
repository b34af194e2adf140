import { z } from 'zod'
import type { Application } from '../../../directory/application/application.ts'
import type { NewPassword } from '../../../directory/application/password-credential.ts'
import { signInAudiences } from '../../../directory/application/sign-in-audience.ts'
import { bodyCollection, guid, name, text } from '../../../directory/properties/forms.ts'
import { requireType } from '../../body/control-information.ts'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { isFixedValue } from '../fixed-value.ts'
import { maxOwners, objectReference } from '../owners/object-reference.ts'
import { apiShape, descriptionShape, fixedProperties } from './application-description.ts'
import {
  type KeyCredentialBody,
  keyCredentialBody,
  maxCertificates,
} from './key-credential-body.ts'
import { newPasswordBody } from './new-password-body.ts'

/** The sum of the entries of all collections of an application, as in Entra ID. */
export const maxEntries = 1200
const maxResources = 50
/** The sum of the permissions that an application requests from all resources. */
export const maxPermissions = 400
const maxClaims = 100
const maxMembersOfClaim = 20

const readOnlyProperties = new Set([
  'id',
  'appId',
  'createdDateTime',
  'deletedDateTime',
  'publisherDomain',
])

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

const requiredResourceAccess = z.strictObject({
  resourceAppId: guid,
  resourceAccess: bodyCollection(
    z.strictObject({ id: guid, type: z.enum(['Role', 'Scope']) }),
    maxPermissions,
    `must not hold more than ${maxPermissions} permissions`,
  ),
})

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

const optionalClaims = z
  .strictObject({
    accessToken: bodyCollection(accessTokenClaim, maxClaims).default([]),
    idToken: bodyCollection(userClaim, maxClaims).default([]),
    saml2Token: bodyCollection(userClaim, maxClaims).default([]),
  })
  .nullable()

const api = z
  .strictObject({ ...apiShape, requestedAccessTokenVersion: z.literal([1, 2]).nullable() })
  .partial()
  .nullable()

/** A secret of an answer, which has a keyId, or the properties of a new one. */
const passwordCredential = z.union([
  z.looseObject({ keyId: guid }).transform(({ keyId }) => ({ keyId })),
  newPasswordBody.transform((created) => ({ created })),
])

const applicationBody = z
  .strictObject({
    displayName: name(),
    signInAudience: z.enum(signInAudiences),
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
    passwordCredentials: bodyCollection(passwordCredential, maxEntries),
    uniqueName: name(),
    'owners@odata.bind': bodyCollection(objectReference, maxOwners),
    ...descriptionShape,
  })
  .partial()

/** The changes that a body requests. Missing properties do not change. */
export type ApplicationPatch = {
  readonly properties: Partial<Application>
  /** The whole collection, if the body contains it. */
  readonly keyCredentials: readonly KeyCredentialBody[] | undefined
  /** The existing secrets that the body names; undefined when it has no list of secrets. */
  readonly passwordKeyIds: readonly string[] | undefined
  /** The secrets that the body describes without a keyId. */
  readonly newPasswords: readonly NewPassword[]
  /** The owners to add. */
  readonly ownerIds: readonly string[]
  /** The descriptive properties, also those of `api`. */
  readonly description: Readonly<Record<string, unknown>>
}

/**
 * Parses the body of `POST` and `PATCH /applications`.
 *
 * @param current the application as it is shown: read-only properties may be sent back unchanged
 * @throws {GraphError} graph_refusal body_invalid, type_unsupported.
 */
export function parseApplication(
  body: unknown,
  current: Readonly<Record<string, unknown>> = {},
): ApplicationPatch {
  requireType(body, 'application')
  const {
    api,
    keyCredentials,
    optionalClaims,
    'owners@odata.bind': ownerIds = [],
    passwordCredentials,
    ...rest
  } = parseBody(applicationBody, dropReadOnly(body, current))
  const { requestedAccessTokenVersion, ...scopes } = api ?? {}
  const { accessToken, ...userClaims } = optionalClaims ?? { accessToken: [] }
  const [described, properties] = partition(rest)
  const description =
    optionalClaims === undefined
      ? described
      : { ...described, optionalClaims: optionalClaims && userClaims }
  return {
    keyCredentials,
    passwordKeyIds: passwordCredentials?.flatMap((one) => ('keyId' in one ? one.keyId : [])),
    newPasswords:
      passwordCredentials?.flatMap((one) => ('created' in one ? one.created : [])) ?? [],
    ownerIds,
    description: api === undefined ? description : { ...description, api: api && scopes },
    properties: omitUndefined({
      ...properties,
      requestedAccessTokenVersion: api === null ? null : requestedAccessTokenVersion,
      optionalAccessTokenClaims: optionalClaims === undefined ? undefined : accessToken,
    }),
  }
}

/** Separates the descriptive properties from the others. */
function partition<Body extends object>(body: Body) {
  const isDescriptive = (name: string) => Object.hasOwn(descriptionShape, name)
  const pick = (isPicked: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => isPicked(name)))
  return [
    pick(isDescriptive),
    pick((name) => !isDescriptive(name)) as Omit<Body, keyof typeof descriptionShape>,
  ] as const
}

/** Drops read-only properties that have their value, and refuses others. */
function dropReadOnly(body: unknown, current: Readonly<Record<string, unknown>>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fixed: Record<string, unknown> = fixedProperties
  const kept = Object.entries(body).filter(([property, value]) => {
    if (readOnlyProperties.has(property) || property === 'uniqueName') {
      const isNew = !Object.hasOwn(current, property)
      if (property === 'uniqueName' && isNew) return value !== null
      if (!isNew && isFixedValue(value, current[property])) return false
      throw refuse('body_invalid', `Property '${property}' is read-only and cannot be set.`)
    }
    if (!Object.hasOwn(fixed, property)) return true
    if (isFixedValue(value, fixed[property])) return false
    throw refuse('body_invalid', `Property '${property}' can only have its default value here.`)
  })
  return Object.fromEntries(kept)
}
