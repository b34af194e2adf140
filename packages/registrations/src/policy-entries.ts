import { type DirectoryPolicy, defaultAppManagementPolicyId } from '@greeting/directory'
import { appManagementRows } from '@greeting/directory/forms'
import { z } from 'zod'

export const displayName = z.string().trim().min(1).max(120)

/** The kinds of policies in a file: their list, there and in Microsoft Graph, and the member that names one. */
export const policyKinds = {
  appManagement: { list: 'appManagementPolicies', member: 'appManagementPolicy' },
  tokenLifetime: { list: 'tokenLifetimePolicies', member: 'tokenLifetimePolicy' },
} as const

/** A policy of a kind that a file can describe. A new one has its name in place of an ID. */
export type Policy = DirectoryPolicy & {
  readonly kind: keyof typeof policyKinds
  /** The IDs of the objects to which it is assigned. */
  readonly appliesTo: readonly string[]
}
export const fileKinds: readonly Policy['kind'][] = ['appManagement', 'tokenLifetime']

const policyOf = (effect: string) =>
  displayName
    .nullable()
    .optional()
    .describe(`Name of the ${effect} \`null\` means none. Default: unchanged.`)

/** The policies of an application, by their names. */
export const assignedPolicies = {
  appManagementPolicy: policyOf('app management policy that applies in place of the default one.'),
  tokenLifetimePolicy: policyOf('token lifetime policy of the tokens for it.'),
}

/** The names of policies in an entry. */
export type PolicyNames = z.output<z.ZodObject<typeof assignedPolicies>>

type Rules = { readonly [member: string]: DirectoryPolicy['definition'] }

const isEnabled = z.boolean().default(true).describe('A disabled policy restricts nothing.')
const restrictions = (row: keyof typeof appManagementRows) =>
  z
    .record(z.string(), z.unknown())
    .describe('The restrictions in the form of Microsoft Graph. An absent member is not managed.')
    .meta({ title: 'object' })
    .pipe(appManagementRows[row].body)
    .transform((rules) => rules as Rules)

/** The default app management policy of a tenant, without its restrictions. */
export const defaultPolicy = {
  id: defaultAppManagementPolicyId,
  kind: 'appManagement',
  displayName: 'default app management policy',
  description: null,
  isOrganizationDefault: true,
  appliesTo: [],
} as const

/** The default policy of a tenant that never changed it. */
export const untouchedPolicy: Policy = { ...defaultPolicy, isEnabled: true, definition: {} }

const defaultAppManagementPolicy: z.ZodType<Policy> = z
  .strictObject({
    isEnabled,
    applicationRestrictions: restrictions('applicationRestrictions').optional(),
    servicePrincipalRestrictions: restrictions('servicePrincipalRestrictions').optional(),
  })
  .meta({
    title: 'Default app management policy',
    description: 'Applies to all applications without a policy of their own.',
  })
  .transform(({ isEnabled, ...definition }): Policy => {
    return { ...defaultPolicy, isEnabled, definition: definition as Rules }
  })

const named = {
  displayName: displayName.describe('Name of the policy. Other entries refer to it by this name.'),
  description: z.string().max(1024).nullable().default(null).describe('What the policy is for.'),
}

const appManagementPolicy: z.ZodType<Policy> = z
  .strictObject({ ...named, isEnabled, restrictions: restrictions('restrictions') })
  .meta({
    title: 'App management policy',
    description:
      'Restricts the credentials, the identifier URIs and the audiences of the applications that name it.',
  })
  .transform(({ restrictions: definition, ...policy }): Policy => {
    const base = { id: policy.displayName, isOrganizationDefault: false, appliesTo: [] }
    return { ...policy, ...base, kind: 'appManagement', definition }
  })

const tokenLifetimePolicy: z.ZodType<Policy> = z
  .strictObject({
    ...named,
    accessTokenLifetime: z
      .string()
      .regex(
        /^(?:0?0:[1-5]\d|(?:0?[1-9]|1\d|2[0-3]):[0-5]\d)(?::[0-5]\d)?$|^1\.00:00(?::00)?$/,
        'must be a time from 00:10:00 to 1.00:00:00',
      )
      .describe('Lifetime of access tokens, from `00:10:00` to `1.00:00:00`.'),
    isOrganizationDefault: z
      .boolean()
      .default(false)
      .describe('Whether it applies to all APIs without a policy of their own.'),
  })
  .meta({
    title: 'Token lifetime policy',
    description: 'Sets the lifetime of the tokens for the APIs that name it.',
  })
  .transform(({ accessTokenLifetime: AccessTokenLifetime, ...policy }): Policy => {
    const rules = { TokenLifetimePolicy: { Version: 1, AccessTokenLifetime } }
    const base = { id: policy.displayName, isEnabled: true, appliesTo: [] }
    return { ...policy, ...base, kind: 'tokenLifetime', definition: [JSON.stringify(rules)] }
  })

const listOf = (policy: z.ZodType<Policy>, description: string) =>
  z.array(policy).max(100).optional().describe(description)

/** The policies of a tenant. */
export const policies = z
  .strictObject({
    defaultAppManagementPolicy: defaultAppManagementPolicy
      .optional()
      .describe('The default policy of the tenant.'),
    appManagementPolicies: listOf(appManagementPolicy, 'The app management policies with a name.'),
    tokenLifetimePolicies: listOf(tokenLifetimePolicy, 'The token lifetime policies.'),
  })
  .meta({
    title: 'Policies',
    description: 'The policies of the tenant. `apply` sets them before everything else.',
  })

export type PoliciesEntry = z.output<typeof policies>
