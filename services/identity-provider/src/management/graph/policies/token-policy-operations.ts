import { accessTokenSeconds, type DirectoryPolicy, definitionRules } from '@greeting/directory'
import { bodyCollection, name, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import { assignsTokenPolicies } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { type PolicyRow, policyOperations, policySet } from './policy-operations.ts'

const setOf = (segment: string, type: string) =>
  policySet(`policies/${segment}`, type, {
    definition: { type: 'Collection(Edm.String)' },
    isOrganizationDefault: { type: 'Edm.Boolean' },
  })

export const tokenLifetimePolicies = setOf('tokenLifetimePolicies', 'tokenLifetimePolicy')
/** Microsoft Graph's entity set `claimsMappingPolicies`, which are only stored and shown. */
export const claimsMappingPolicies = setOf('claimsMappingPolicies', 'claimsMappingPolicy')

const maxDefinitionLength = 10_000
const patch = z
  .strictObject({
    displayName: name(),
    description: text(1024).nullable(),
    definition: bodyCollection(text(maxDefinitionLength), 1),
    isOrganizationDefault: z.boolean(),
  })
  .partial()

/** The state after a body, with a definition that follows the rule (entra E248). */
const afterBy =
  (isValid: (definition: DirectoryPolicy['definition']) => boolean) =>
  (before: DirectoryPolicy, body: unknown, isNew: boolean): DirectoryPolicy => {
    const given = parseBody(patch, body)
    if (isNew && (given.displayName === undefined || given.definition === undefined))
      throw refuse('body_invalid', "Properties 'displayName' and 'definition' are required.")
    const after = { ...before, isEnabled: true, ...omitUndefined(given) }
    if (isValid(after.definition)) return after
    throw refuse('body_invalid', 'Property definition has an invalid value.')
  }

const rows: readonly PolicyRow[] = [
  {
    kind: 'tokenLifetime',
    name: 'tokenLifetimePolicies',
    one: 'a token lifetime policy',
    effect: 'Tokens that were issued keep their lifetime.',
    set: tokenLifetimePolicies,
    assigns: assignsTokenPolicies,
    objects: ['application', 'servicePrincipal'],
    after: afterBy((definition) => accessTokenSeconds(definition) !== undefined),
  },
  {
    kind: 'claimsMapping',
    name: 'claimsMappingPolicies',
    one: 'a claims mapping policy',
    effect: 'Tokens of this server have no mapped claims.',
    set: claimsMappingPolicies,
    assigns: assignsTokenPolicies,
    objects: ['servicePrincipal'],
    warning:
      'tokens of an API with this policy need acceptMappedClaims, and have no mapped claims here',
    after: afterBy(
      (definition) => definitionRules(definition, 'ClaimsMappingPolicy')?.Version === 1,
    ),
  },
]

export const tokenPolicyOperations = rows.flatMap(policyOperations)
