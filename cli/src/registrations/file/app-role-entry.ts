import { z } from 'zod'

const memberTypes = z.enum(['Application', 'User'])

/**
 * An application role as the file declares it: the entry of `appRoles` in an application's
 * manifest, field by field. What may be left out has the one value that fits.
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
      .describe('The name of the role: what the claim `roles` of a token carries.'),
    displayName: z.string().trim().min(1).max(100).describe('The name that people read.'),
    description: z
      .string()
      .trim()
      .min(1)
      .describe('What the role allows: an administrator reads it before consenting.'),
    id: z
      .guid()
      .toLowerCase()
      .optional()
      .describe(
        'GUID of the role. Left out: that of the role with this value, or one derived from the tenant, the API and the value.',
      ),
    allowedMemberTypes: z
      .array(memberTypes)
      .min(1)
      .refine((types) => types.includes('Application'), 'must contain "Application"')
      .refine((types) => new Set(types).size === types.length, 'must not name a type twice')
      .default(['Application'])
      .describe('Who can be given the role; `Application` must be among them.'),
    isEnabled: z.boolean().default(true).describe('A disabled role is in no new token.'),
    lang: z.null().optional().describe('Always null; kept because manifests carry it.'),
    origin: z
      .literal('Application')
      .optional()
      .describe('Always `Application`; kept because manifests carry it.'),
  })
  .meta({ title: 'Application role' })

export type AppRoleEntry = z.output<typeof appRoleEntry>
