import { z } from 'zod'

export const displayName = z.string().trim().min(1).max(120)

/** The policies of an application, by their names. */
export const assignedPolicies = {
  appManagementPolicy: displayName
    .nullable()
    .optional()
    .describe(
      'Name of the app management policy that applies in place of the default one. `null` means none. Default: unchanged.',
    ),
  tokenLifetimePolicy: displayName
    .nullable()
    .optional()
    .describe(
      'Name of the token lifetime policy of the tokens for it. `null` means none. Default: unchanged.',
    ),
}

const restrictions = z
  .record(z.string(), z.unknown())
  .describe('The restrictions in the form of Microsoft Graph. An absent member is not managed.')
  .meta({ title: 'object' })
const policyName = {
  displayName: displayName.describe('Name of the policy. Other entries refer to it by this name.'),
  description: z.string().max(1024).nullable().default(null).describe('What the policy is for.'),
}

const appManagementPolicy = z
  .strictObject({
    ...policyName,
    isEnabled: z.boolean().default(true).describe('A disabled policy restricts nothing.'),
    restrictions,
  })
  .meta({
    title: 'App management policy',
    description:
      'Restricts the credentials, the identifier URIs and the audiences of the applications that name it.',
  })

const tokenLifetimePolicy = z
  .strictObject({
    ...policyName,
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

/** The policies of a tenant. */
export const policies = z
  .strictObject({
    defaultAppManagementPolicy: z
      .strictObject({
        isEnabled: z.boolean().default(true).describe('A disabled policy restricts nothing.'),
        applicationRestrictions: restrictions.optional(),
        servicePrincipalRestrictions: restrictions.optional(),
      })
      .meta({
        title: 'Default app management policy',
        description: 'Applies to all applications without a policy of their own.',
      })
      .optional()
      .describe('The default policy of the tenant.'),
    appManagementPolicies: z
      .array(appManagementPolicy)
      .max(100)
      .optional()
      .describe('The app management policies with a name.'),
    tokenLifetimePolicies: z
      .array(tokenLifetimePolicy)
      .max(100)
      .optional()
      .describe('The token lifetime policies.'),
  })
  .meta({
    title: 'Policies',
    description: 'The policies of the tenant. `apply` sets them before everything else.',
  })
