import {
  bodyForms,
  fixedValues,
  type ServicePrincipal,
  servicePrincipalProperties,
} from '@greeting/directory'
import { guid, name } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import {
  type ObjectPatch,
  objectForms,
  patchOf,
  withoutRepeated,
} from '../directory-objects/object-body.ts'

const forms = bodyForms(servicePrincipalProperties)
const changeable = z.strictObject({ ...forms.changeable, ...objectForms, ...forms.inert }).partial()
const newPrincipal = changeable.extend({ appId: guid })
/** The name of another principal is that of its application. */
const changeableAgent = changeable.extend({ displayName: name().optional() })
const newAgent = changeable.extend({ agentIdentityBlueprintId: guid, displayName: name() })
const fixed = fixedValues(servicePrincipalProperties)

/**
 * Parses the body of `POST /servicePrincipals`.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseNewPrincipal(
  body: unknown,
): ObjectPatch<ServicePrincipal> & { readonly appId: string } {
  const { appId, ...rest } = parseBody(newPrincipal, withoutRepeated(body, fixed))
  return { appId, ...patchOf<ServicePrincipal>(rest, forms) }
}

/**
 * Parses the body of a new agent identity.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseNewAgent(body: unknown) {
  const parsed = parseBody(newAgent, withoutRepeated(body, fixed))
  const { agentIdentityBlueprintId, displayName, ...rest } = parsed
  return { agentIdentityBlueprintId, displayName, ...patchOf<ServicePrincipal>(rest, forms) }
}

/**
 * Parses the body of `PATCH /servicePrincipals`.
 *
 * @param current the service principal as it is shown: other properties may be sent back unchanged
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parsePrincipal(
  body: unknown,
  current: Readonly<Record<string, unknown>>,
  isOfAgent: boolean,
): ObjectPatch<ServicePrincipal> {
  const form = isOfAgent ? changeableAgent : changeable
  const others = Object.entries(current).filter(
    ([name]) => !Object.hasOwn(form.shape, name) && !name.startsWith('@'),
  )
  const kept = withoutRepeated(body, Object.fromEntries(others))
  return patchOf<ServicePrincipal>(parseBody(form, kept), forms)
}
