import {
  type Application,
  applicationProperties,
  bodyForms,
  fixedValues,
  type NewPassword,
} from '@greeting/directory'
import { api, bodyCollection, guid, maxEntries, optionalClaims } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody, requireType } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'
import {
  type KeyCredentialBody,
  keyCredentialBody,
  maxCertificates,
  newPasswordBody,
} from '../directory-objects/credential-body.ts'
import { isFixedValue, maxOwners, objectReference } from '../directory-objects/object-body.ts'

/** A secret of an answer, which has a keyId, or the properties of a new one. */
const passwordCredential = z.union([
  z.looseObject({ keyId: guid }).transform(({ keyId }) => ({ keyId })),
  newPasswordBody.transform((created) => ({ created })),
])

const forms = bodyForms(applicationProperties)

const applicationBody = z
  .strictObject({
    ...forms.changeable,
    // These two again, because a part of each is a member of its own.
    api,
    optionalClaims,
    keyCredentials: bodyCollection(keyCredentialBody, maxCertificates),
    passwordCredentials: bodyCollection(passwordCredential, maxEntries),
    ...forms.atCreation,
    'owners@odata.bind': bodyCollection(objectReference, maxOwners),
    ...forms.inert,
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
  /** The properties that are kept and shown only, also those of `api` and `optionalClaims`. */
  readonly inert: Readonly<Record<string, unknown>>
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
  const { inert, members } = separated(rest)
  return {
    keyCredentials,
    passwordKeyIds: passwordCredentials?.flatMap((one) => ('keyId' in one ? one.keyId : [])),
    newPasswords:
      passwordCredentials?.flatMap((one) => ('created' in one ? one.created : [])) ?? [],
    ownerIds,
    inert: {
      ...inert,
      api: api && scopes,
      optionalClaims: optionalClaims && userClaims,
    },
    properties: omitUndefined({
      ...members,
      requestedAccessTokenVersion: api === null ? null : requestedAccessTokenVersion,
      optionalAccessTokenClaims: optionalClaims === undefined ? undefined : accessToken,
    }),
  }
}

/** The members of an application in a body, and the properties that are kept and shown only. */
function separated(body: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(body)
  const isInert = ([name]: readonly [string, unknown]) => Object.hasOwn(forms.inert, name)
  return {
    inert: Object.fromEntries(entries.filter(isInert)),
    // The form of each row has the type of the member.
    members: Object.fromEntries(entries.filter((one) => !isInert(one))) as Partial<Application>,
  }
}

const fixed = fixedValues(applicationProperties)

/** The properties whose value a body for an existing application may only repeat. */
const readOnly = new Set(
  Object.entries(applicationProperties)
    .filter(([, row]) => row.show !== false && row.fixed === undefined)
    .filter(([name, row]) => row.isSetAtCreation || !Object.hasOwn(applicationBody.shape, name))
    .map(([name]) => name),
)

/** Drops read-only properties that have their value, and refuses others. */
function dropReadOnly(body: unknown, current: Readonly<Record<string, unknown>>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const kept = Object.entries(body).filter(([property, value]) => {
    if (readOnly.has(property)) {
      const isNew = !Object.hasOwn(current, property)
      if (isNew && Object.hasOwn(forms.atCreation, property)) return value !== null
      if (!isNew && isFixedValue(value, current[property])) return false
      throw refuse('body_invalid', `Property '${property}' is read-only and cannot be set.`)
    }
    if (!Object.hasOwn(fixed, property)) return true
    if (isFixedValue(value, fixed[property])) return false
    throw refuse('body_invalid', `Property '${property}' can only have its default value here.`)
  })
  return Object.fromEntries(kept)
}
