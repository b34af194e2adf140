import {
  type Application,
  applicationProperties,
  bodyForms,
  fixedValues,
  type NewPassword,
} from '@greeting/directory'
import { api, bodyCollection, guid, maxEntries, optionalClaims } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import { newPasswordBody } from '../directory-objects/credential-body.ts'
import {
  type ObjectPatch,
  objectForms,
  patchOf,
  propertyFault,
  withoutRepeated,
} from '../directory-objects/object-body.ts'

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
    ...objectForms,
    passwordCredentials: bodyCollection(passwordCredential, maxEntries),
    ...forms.atCreation,
    ...forms.inert,
  })
  .partial()

/** The changes to an application, and its new secrets. */
export type ApplicationPatch = ObjectPatch<Application> & {
  /** The existing secrets that the body names; undefined when it has no list of secrets. */
  readonly passwordKeyIds: readonly string[] | undefined
  /** The secrets that the body describes without a keyId. */
  readonly newPasswords: readonly NewPassword[]
}

/**
 * Parses the body of `POST` and `PATCH /applications`.
 *
 * @param current the application as it is shown: read-only properties may be sent back unchanged
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseApplication(
  body: unknown,
  current?: Readonly<Record<string, unknown>>,
): ApplicationPatch {
  const { api, optionalClaims, passwordCredentials, ...rest } = parseBody(
    applicationBody,
    withoutRepeated(
      current === undefined
        ? withoutReadOnly(body)
        : withoutRepeated(withoutTime(body), readOnlyIn(current)),
      fixed,
      'can only have its default value here',
    ),
  )
  const { requestedAccessTokenVersion, ...scopes } = api ?? {}
  const { accessToken, ...userClaims } = optionalClaims ?? { accessToken: [] }
  const { inert, properties, ...patch } = patchOf<Application>(rest, forms)
  return {
    ...patch,
    passwordKeyIds: passwordCredentials?.flatMap((one) => ('keyId' in one ? one.keyId : [])),
    newPasswords:
      passwordCredentials?.flatMap((one) => ('created' in one ? one.created : [])) ?? [],
    inert: {
      ...inert,
      api: api && scopes,
      optionalClaims: optionalClaims && userClaims,
    },
    properties: {
      ...properties,
      ...omitUndefined({
        requestedAccessTokenVersion: api === null ? null : requestedAccessTokenVersion,
        optionalAccessTokenClaims: optionalClaims === undefined ? undefined : accessToken,
      }),
    },
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

const readOnlyIn = (current: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(current).filter(([name]) => readOnly.has(name)))

/** A new application has no value yet that its body could repeat. */
function withoutReadOnly(body: unknown): unknown {
  for (const name of Object.keys(Object(body))) {
    if (readOnly.has(name) && !Object.hasOwn(forms.atCreation, name)) throw propertyFault(name)
  }
  return body
}

/** A manifest of another application has its time of creation, which Graph ignores (entra E272). */
function withoutTime(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'createdDateTime'))
}
