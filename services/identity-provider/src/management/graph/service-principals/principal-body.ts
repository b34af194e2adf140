import { bodyForms, fixedValues, servicePrincipalProperties } from '@greeting/directory'
import { bodyCollection, guid } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody, requireType } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'
import {
  type KeyCredentialBody,
  keyCredentialBody,
  maxCertificates,
} from '../directory-objects/credential-body.ts'
import { isFixedValue, maxOwners, objectReference } from '../directory-objects/object-body.ts'

const forms = bodyForms(servicePrincipalProperties)

const changeable = z
  .strictObject({
    ...forms.changeable,
    // These two again, for their types.
    accountEnabled: z.boolean(),
    appRoleAssignmentRequired: z.boolean(),
    keyCredentials: bodyCollection(keyCredentialBody, maxCertificates),
    'owners@odata.bind': bodyCollection(objectReference, maxOwners),
    ...forms.inert,
  })
  .partial()
const fixed = fixedValues(servicePrincipalProperties)
const newPrincipal = changeable.extend({ appId: guid })

/** The changes that a body requests. Missing properties do not change. */
export type PrincipalPatch = {
  readonly accountEnabled: boolean | undefined
  readonly appRoleAssignmentRequired: boolean | undefined
  /** The certificates after the change. */
  readonly keyCredentials: readonly KeyCredentialBody[] | undefined
  /** The owners to add. */
  readonly ownerIds: readonly string[]
  readonly inert: Readonly<Record<string, unknown>>
}

/**
 * Parses the body of `POST /servicePrincipals`.
 *
 * @throws {GraphError} graph_refusal body_invalid, type_unsupported.
 */
export function parseNewPrincipal(body: unknown): PrincipalPatch & { readonly appId: string } {
  requireType(body, 'servicePrincipal')
  const { appId, ...rest } = parseBody(newPrincipal, dropUnchanged(body, fixed))
  return { appId, ...patchOf(rest) }
}

/**
 * Parses the body of `PATCH /servicePrincipals`.
 *
 * @param current the service principal as it is shown: other properties may be sent back unchanged
 * @throws {GraphError} graph_refusal body_invalid, type_unsupported.
 */
export function parsePrincipal(
  body: unknown,
  current: Readonly<Record<string, unknown>>,
): PrincipalPatch {
  requireType(body, 'servicePrincipal')
  return patchOf(parseBody(changeable, dropUnchanged(body, current)))
}

function patchOf({
  accountEnabled,
  appRoleAssignmentRequired,
  keyCredentials,
  'owners@odata.bind': ownerIds = [],
  ...inert
}: z.output<typeof changeable>): PrincipalPatch {
  return { accountEnabled, appRoleAssignmentRequired, keyCredentials, ownerIds, inert }
}

/** Drops properties that come from elsewhere and have their value, and refuses others. */
function dropUnchanged(body: unknown, current: Readonly<Record<string, unknown>>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const kept = Object.entries(body).filter(([property, value]) => {
    if (Object.hasOwn(changeable.shape, property) || !Object.hasOwn(current, property)) return true
    if (isFixedValue(value, current[property])) return false
    throw refuse('body_invalid', `Property '${property}' is read-only and cannot be set.`)
  })
  return Object.fromEntries(kept)
}
