import { z } from 'zod'

const memberTypes = z.enum(['Application', 'User'])

/**
 * An app role as the file declares it: the entry of `appRoles` in an application manifest.
 * Fields with only one possible value may be absent.
 *
 * @see https://learn.microsoft.com/graph/api/resources/approle
 */
export const appRoleEntry = z
  .strictObject({
    value: z
      .string()
      .min(1)
      .max(120)
      .regex(
        /^(?!\.)[0-9A-Za-z:!#$%&'()*+,\-./;<=>?@[\]^_`{|}~]+$/,
        "must not contain spaces or start with a dot; letters, digits and :!#$%&'()*+,-./;<=>?@[]^_`{|}~ are allowed",
      )
      .describe('The name of the role in the claim `roles` of a token.'),
    displayName: z.string().trim().min(1).max(100).describe('The name for people.'),
    description: z
      .string()
      .trim()
      .min(1)
      .describe('What the role allows. An administrator reads it before consent.'),
    id: z
      .guid()
      .toLowerCase()
      .optional()
      .describe(
        'GUID of the role. Default: the ID of the existing role with this value, else an ID derived from tenant, API and value.',
      ),
    allowedMemberTypes: z
      .array(memberTypes)
      .min(1)
      .refine((types) => types.includes('Application'), 'must contain "Application"')
      .refine((types) => new Set(types).size === types.length, 'must not contain a type twice')
      .default(['Application'])
      .describe('The kinds of principals that can have the role. Must contain `Application`.'),
    isEnabled: z.boolean().default(true).describe('New tokens do not contain a disabled role.'),
    lang: z.null().optional().describe('Always null. Allowed because manifests contain it.'),
    origin: z
      .literal('Application')
      .optional()
      .describe('Always `Application`. Allowed because manifests contain it.'),
  })
  .meta({ title: 'Application role' })
