import {
  type FederatedIdentityCredential,
  judgeClaimsMatchingExpression,
  type TrustedClaims,
} from '@greeting/directory'
import { federatedCredentialForms, name } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { propertyFault } from '../directory-objects/object-body.ts'

const newCredential = z.strictObject(federatedCredentialForms)
// Clients send `id` and `name` back. They cannot change.
const changedCredential = z
  .strictObject({ ...federatedCredentialForms, id: name(), name: name() })
  .partial()

/**
 * Parses the body of `POST .../federatedIdentityCredentials`.
 *
 * @throws {GraphError} graph_refusal body_invalid, federated_credential_invalid.
 */
export function parseNewFederatedCredential(
  body: unknown,
  id: string,
): FederatedIdentityCredential {
  const {
    description = null,
    subject,
    claimsMatchingExpression,
    ...properties
  } = parseBody(newCredential, body)
  const claims = trustedClaims(subject, claimsMatchingExpression?.value, properties.issuer)
  return { id, description, ...properties, ...claims }
}

/**
 * Parses the body of `PATCH .../federatedIdentityCredentials/{id}`. Missing properties do not change.
 *
 * @throws {GraphError} graph_refusal body_invalid, federated_credential_invalid.
 */
export function parseChangedFederatedCredential(
  body: unknown,
  before: FederatedIdentityCredential,
): FederatedIdentityCredential {
  const {
    subject = before.subject,
    claimsMatchingExpression: changed,
    ...properties
  } = parseBody(changedCredential, body)
  for (const key of ['id', 'name'] as const) {
    if (properties[key] !== undefined && properties[key] !== before[key]) throw propertyFault(key)
  }
  const { claimsMatchingExpression, subject: _former, ...kept } = before
  const after = { ...kept, ...omitUndefined(properties) }
  const expression = changed === undefined ? claimsMatchingExpression : changed?.value
  return { ...after, ...trustedClaims(subject, expression, after.issuer) }
}

function trustedClaims(
  subject: string | null | undefined,
  expression: string | undefined,
  issuer: string,
): TrustedClaims {
  if (expression === undefined) {
    if (subject != null) return { subject }
    throw refuse('body_invalid', "Property 'subject' cannot be empty.")
  }
  if (subject != null)
    throw refuse(
      'federated_credential_invalid',
      'Cannot specify both subject and claimsMatchingExpression.',
    )
  const fault = judgeClaimsMatchingExpression(expression, issuer)
  if (fault !== undefined) throw refuse('federated_credential_invalid', fault)
  return { subject: null, claimsMatchingExpression: expression }
}
