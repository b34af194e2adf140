import {
  bodyForms,
  fixedValues,
  type ServicePrincipal,
  servicePrincipalProperties,
} from '@greeting/directory'
import { guid } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody, requireType } from '../../body/parse-body.ts'
import {
  type ObjectPatch,
  objectForms,
  patchOf,
  withoutRepeated,
} from '../directory-objects/object-body.ts'

const forms = bodyForms(servicePrincipalProperties)
const changeable = z.strictObject({ ...forms.changeable, ...objectForms, ...forms.inert }).partial()
const newPrincipal = changeable.extend({ appId: guid })
const fixed = fixedValues(servicePrincipalProperties)

/**
 * Parses the body of `POST /servicePrincipals`.
 *
 * @throws {GraphError} graph_refusal body_invalid, type_unsupported.
 */
export function parseNewPrincipal(
  body: unknown,
): ObjectPatch<ServicePrincipal> & { readonly appId: string } {
  requireType(body, 'servicePrincipal')
  const { appId, ...rest } = parseBody(newPrincipal, withoutRepeated(body, fixed))
  return { appId, ...patchOf<ServicePrincipal>(rest, forms) }
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
): ObjectPatch<ServicePrincipal> {
  requireType(body, 'servicePrincipal')
  const others = Object.entries(current).filter(([name]) => !Object.hasOwn(changeable.shape, name))
  const kept = withoutRepeated(body, Object.fromEntries(others))
  return patchOf<ServicePrincipal>(parseBody(changeable, kept), forms)
}
