import { z } from 'zod'
import type { Application } from '../../directory/application.ts'
import { parseBody } from '../http/body-faults.ts'
import { guid, name, text } from '../http/body-text.ts'
import { given } from '../http/given.ts'
import { refuse } from '../http/graph-error.ts'
import { fixedApi, fixedProperties, saysNothing } from './fixed-properties.ts'
import { type KeyCredentialBody, keyCredentialBody } from './key-credential-body.ts'

const readOnlyProperties = new Set([
  'id',
  'appId',
  'createdDateTime',
  'deletedDateTime',
  'publisherDomain',
])

/** An entry of `appRoles`: as Graph takes it, or with all members of a manifest's entry. */
const appRole = z
  .strictObject({
    allowedMemberTypes: z.array(z.enum(['Application', 'User'])),
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
  resourceAccess: z.array(z.strictObject({ id: guid, type: z.enum(['Role', 'Scope']) })),
})

const accessTokenClaim = z
  .strictObject({
    name: name(),
    source: z.null().optional(),
    essential: z.literal(false).optional(),
    additionalProperties: z.array(name()).default([]),
  })
  .transform(({ name, additionalProperties }) => ({ name, additionalProperties }))

const optionalClaims = z
  .strictObject({
    accessToken: z.array(accessTokenClaim).default([]),
    idToken: z.array(z.never()).optional(),
    saml2Token: z.array(z.never()).optional(),
  })
  .nullable()
  .transform((claims) => claims?.accessToken ?? [])

const api = z
  .looseObject({ requestedAccessTokenVersion: z.literal([1, 2]).nullish() })
  .refine(({ requestedAccessTokenVersion: _version, ...rest }) => saysNothing(rest, fixedApi), {
    error: 'must hold nothing but requestedAccessTokenVersion: scopes are for users',
  })

const applicationBody = z
  .strictObject({
    displayName: name(),
    signInAudience: z.enum(['AzureADMyOrg', 'AzureADMultipleOrgs']),
    identifierUris: z.array(text(255)),
    isFallbackPublicClient: z
      .boolean()
      .nullable()
      .transform((value) => value ?? false),
    passwordAuthenticationAllowed: z.boolean(),
    api,
    appRoles: z.array(appRole),
    requiredResourceAccess: z.array(requiredResourceAccess),
    optionalClaims,
    keyCredentials: z.array(keyCredentialBody),
    passwordCredentials: z.array(z.looseObject({ keyId: guid })),
  })
  .partial()

/** What a body says of an application; what it leaves out stays as it is. */
export type ApplicationPatch = {
  readonly properties: Partial<Application>
  /** The whole collection, when the body has it. */
  readonly keyCredentials: readonly KeyCredentialBody[] | undefined
  /** The secrets that the body speaks of; it can neither make nor remove one. */
  readonly passwordKeyIds: readonly string[] | undefined
}

/**
 * Reads the body of `POST` and `PATCH /applications`.
 *
 * @throws {GraphError} GRAPH_REFUSAL bodyInvalid.
 */
export function parseApplication(body: unknown): ApplicationPatch {
  const { api, keyCredentials, optionalClaims, passwordCredentials, ...rest } = parseBody(
    applicationBody,
    withoutWhatSaysNothing(body),
  )
  return {
    keyCredentials,
    passwordKeyIds: passwordCredentials?.map(({ keyId }) => keyId),
    properties: given({
      ...rest,
      requestedAccessTokenVersion: api?.requestedAccessTokenVersion,
      optionalAccessTokenClaims: optionalClaims,
    }),
  }
}

/** Refuses what nobody can set, and drops what is already so, or is not for us to read. */
function withoutWhatSaysNothing(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fixed: Record<string, unknown> = fixedProperties
  const kept = Object.entries(body).filter(([property, value]) => {
    // Control information, such as `@odata.type` and `owners@odata.bind`, describes the message.
    if (property.includes('@odata.')) return false
    if (readOnlyProperties.has(property))
      throw refuse('bodyInvalid', `Property '${property}' is read-only and cannot be set.`)
    if (!Object.hasOwn(fixed, property)) return true
    if (saysNothing(value, fixed[property])) return false
    throw refuse('bodyInvalid', `Property '${property}' can only have its default value here.`)
  })
  return Object.fromEntries(kept)
}
