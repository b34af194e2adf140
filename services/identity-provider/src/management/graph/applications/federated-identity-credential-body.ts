import {
  type FederatedIdentityCredential,
  isSafeIssuerUrl,
  judgeClaimsMatchingExpression,
  type TrustedClaims,
} from '@greeting/directory'
import { bodyCollection, name, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'

const oneAudience = 'must hold exactly one audience'

const changeable = {
  issuer: name(600).refine(isIssuer, 'must be an https URL without query and fragment'),
  subject: name(600).nullish(),
  claimsMatchingExpression: z
    .strictObject({ value: name(600), languageVersion: z.literal(1) })
    .nullish(),
  description: text(600).nullish(),
  audiences: bodyCollection(name(600), 1, oneAudience).refine(
    ({ length }) => length === 1,
    oneAudience,
  ),
}
const newCredential = z.strictObject({
  ...changeable,
  name: name(120).regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{2,}$/,
    'must be 3 to 120 letters, digits, hyphens and underscores',
  ),
})
// Clients send `id` and `name` back. They cannot change.
const changedCredential = z.strictObject({ ...changeable, id: name(), name: name() }).partial()

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
    if (properties[key] !== undefined && properties[key] !== before[key]) {
      throw refuse('body_invalid', `Property '${key}' is read-only and cannot be set.`)
    }
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
  if (subject != null) {
    throw refuse(
      'federated_credential_invalid',
      'Cannot specify both subject and claimsMatchingExpression.',
    )
  }
  const fault = judgeClaimsMatchingExpression(expression, issuer)
  if (fault !== undefined) throw refuse('federated_credential_invalid', fault)
  return { subject: null, claimsMatchingExpression: expression }
}

/** Microsoft Graph refuses `http`. An issuer of this machine may have it, as for its keys. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return isSafeIssuerUrl(url) && url.search + url.hash === ''
}
