import { z } from 'zod'
import { comparedEntries } from './compared-properties.ts'

const displayName = z.string().trim().min(1).max(120)

const memberTypes = z.enum(['Application', 'User'])

/**
 * An app role as the file declares it: the entry of `appRoles` in an application manifest.
 * Fields with only one possible value may be absent.
 *
 * @see https://learn.microsoft.com/graph/api/resources/approle
 */
const appRoleEntry = z
  .strictObject({
    value: z
      .string()
      .min(1)
      .max(249)
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
  .meta({
    title: 'Application role',
    description:
      'An entry of `appRoles`, with the eight fields of an application manifest. Three of them are required.',
  })

const applicationId = z
  .guid()
  .toLowerCase()
  .optional()
  .describe(
    'Application (client) ID. The setting `REGISTRATIONS` creates the registration with this ID; the command finds an existing one by it. Default: the directory chooses the ID. An existing application of this name needs the mark of this command, or your confirmation.',
  )

/** Placeholder in identifier URIs: the application ID is unknown before the first registration. */
export const applicationIdPlaceholder = '{applicationId}'

const identifierUri = z
  .string()
  .max(255)
  .regex(
    /^[a-z][a-z0-9+.-]*:\/\/[^\s?#]*[^\s?#/]$/i,
    'must be an absolute URI without spaces, query, fragment and final slash',
  )

const tenant = z
  .strictObject({
    id: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Tenant ID. If present, the file applies to this tenant only.'),
    displayName: displayName.optional().describe('Name of a tenant that is created locally.'),
    domains: z
      .array(z.hostname('must be a domain name').toLowerCase())
      .optional()
      .describe('Verified domains of a tenant that is created locally.'),
  })
  .meta({ title: 'Tenant' })

const api = z
  .strictObject({
    displayName: displayName.describe('Name of the API. Other entries refer to it by this name.'),
    applicationId,
    identifierUris: z
      .array(identifierUri)
      .min(1)
      .optional()
      .describe(
        'The names of the API in scopes. `{applicationId}` is replaced by the application ID. Default: the existing ones, else `api://{applicationId}`.',
      ),
    ...comparedEntries,
    appRoles: z.array(appRoleEntry).describe('All app roles of the API.'),
  })
  .meta({ title: 'API', description: 'An application with app roles, which clients call.' })

const permission = z
  .strictObject({
    api: z.string().min(1).describe('Name of an API of this file or of the directory.'),
    roles: z.array(z.string().min(1)).min(1).describe('Values of the requested app roles.'),
  })
  .meta({
    title: 'Permission',
    description:
      'The app roles that a client requests. `api` is an API of this file or another API of the tenant, such as `Microsoft Graph`. The application ID of an API outside this file may replace its name.',
  })

const secret = z
  .strictObject({
    displayName: displayName.describe('Name of the secret. Rotation keeps it.'),
    lifetimeDays: z
      .int()
      .min(1)
      .max(730)
      .default(180)
      .describe('Lifetime of a new secret, in days.'),
    overlapDays: z
      .int()
      .min(0)
      .max(365)
      .default(30)
      .describe(
        'Rotation starts this number of days before the end of the secret. Both secrets are valid until then.',
      ),
  })
  .refine(({ lifetimeDays, overlapDays }) => overlapDays < lifetimeDays, {
    path: ['overlapDays'],
    message: 'must be less than lifetimeDays, or every run would rotate the secret',
  })
  .meta({
    title: 'Client secret',
    description: 'The policy for a client secret. The file never contains the secret itself.',
  })

const certificate = z
  .strictObject({
    displayName: displayName.describe('Name of the certificate.'),
    path: z
      .string()
      .min(1)
      .describe(
        'PEM file of the certificate, relative to the folder of this file. It must not contain the private key.',
      ),
    warningDays: z
      .int()
      .min(0)
      .max(730)
      .default(30)
      .describe('`plan` warns this number of days before the end of the certificate.'),
  })
  .meta({
    title: 'Certificate',
    description:
      'A certificate of the client. The client signs its assertions with the private key.',
  })

const clientMembers = {
  displayName: displayName.describe('Name of the client. Other entries refer to it by this name.'),
  applicationId,
  permissions: z
    .array(permission)
    .optional()
    .describe('The requested application permissions. A request alone grants nothing.'),
  secrets: z.array(secret).optional().describe('The client secrets.'),
  certificates: z.array(certificate).optional().describe('The certificates.'),
}

const client = z.strictObject(clientMembers).meta({
  title: 'Client',
  description:
    'An application that calls APIs. An API that is also a client is listed under `apis` and under `clients`, with the same name.',
})

const federatedCredential = z
  .strictObject({
    displayName: z
      .string()
      .max(120)
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._~-]{2,}$/,
        'must be 3 to 120 letters, digits and -._~, and start with a letter or digit',
      )
      .describe('Name of the federated credential. It cannot change.'),
    issuer: z
      .string()
      .regex(
        /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)(?=[:/]))[^\s?#]+$/,
        'must be an https URL without query and fragment',
      )
      .max(600)
      .describe('The claim `iss` of the trusted tokens.'),
    subject: z.string().min(1).max(600).describe('The claim `sub` of the trusted tokens.'),
    audience: z
      .string()
      .min(1)
      .max(600)
      .default('api://AzureADTokenExchange')
      .describe('The claim `aud` of the trusted tokens.'),
  })
  .meta({
    title: 'Federated credential',
    description: 'Trusts the tokens of another issuer, such as a cluster, in place of a secret.',
  })

const agent = z
  .strictObject({
    displayName: displayName.describe('Name of the agent. It is unique in the file.'),
    applicationId: applicationId.describe(
      'Client ID of the agent identity. Default: the directory chooses it, and a name identifies an agent within its blueprint.',
    ),
    permissions: z
      .array(permission)
      .optional()
      .describe(
        'The roles that an administrator may assign to it. An agent requests nothing itself.',
      ),
  })
  .meta({
    title: 'Agent',
    description:
      'An agent identity. Its blueprint authenticates it. It has the roles of its admin consents, and those that it inherits.',
  })

const blueprint = z
  .strictObject({
    ...clientMembers,
    displayName: displayName.describe('Name of the blueprint. It is unique in the file.'),
    federatedCredentials: z
      .array(federatedCredential)
      .max(20)
      .optional()
      .describe('The federated credentials.'),
    sponsors: z
      .array(z.guid().toLowerCase())
      .min(1)
      .optional()
      .describe(
        'Object IDs of the users who are responsible. Microsoft Graph needs one to create a blueprint or an agent. Later changes have no effect.',
      ),
    inherit: z
      .array(z.string().min(1))
      .max(10)
      .optional()
      .describe('Names of APIs. The agents inherit the roles of the blueprint at these APIs.'),
    agents: z.array(agent).optional().describe('The agents of the blueprint.'),
  })
  .meta({
    title: 'Agent blueprint',
    description:
      'An application whose credentials authenticate its agents. It gets no token for an API itself.',
  })

const consent = z
  .strictObject({
    client: z.string().min(1).describe('Name of a client, a blueprint or an agent of this file.'),
    api: z.string().min(1).describe('Name of the API.'),
    roles: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'Values of the assigned app roles. Default: all that the client requests of this API.',
      ),
  })
  .meta({
    title: 'Admin consent',
    description:
      'The app roles that an administrator assigns to the client. The client must request them.',
  })

/**
 * The registrations of a system, as a file for review. An absent list is not managed. A present
 * list is complete, so `apply` removes everything else that the directory has there.
 */
export const registrationsFile = z
  .strictObject({
    $schema: z.string().optional().describe('Address of the JSON Schema, for editors.'),
    tenant: tenant.optional().describe('The tenant of the file.'),
    apis: z.array(api).default([]).describe('The APIs: steps 1 and 2.'),
    clients: z.array(client).default([]).describe('The clients: steps 3, 4 and 6.'),
    blueprints: z.array(blueprint).default([]).describe('The agents, by their blueprints.'),
    consents: z
      .array(consent)
      .optional()
      .describe('The admin consents for the clients of this file: step 5.'),
    removed: z
      .array(displayName)
      .default([])
      .describe('Names or application IDs of applications that must not exist any more.'),
  })
  .meta({
    title: 'Greeting registrations',
    description:
      'The six registration steps as a file: APIs with their app roles, clients with their requested permissions, admin consents, secrets.',
  })

export type RegistrationsFile = z.output<typeof registrationsFile>
export type ApiEntry = RegistrationsFile['apis'][number]
export type ClientEntry = RegistrationsFile['clients'][number]
export type FederatedEntry = NonNullable<BlueprintEntry['federatedCredentials']>[number]
export type BlueprintEntry = RegistrationsFile['blueprints'][number]

export type SecretEntry = NonNullable<ClientEntry['secrets']>[number]

/**
 * The published JSON Schema of the registrations file, in draft 7, which all editors support. It
 * does not contain the rules about references between entries. `parseRegistrations` checks them.
 */
export const registrationsJsonSchema = (): object =>
  z.toJSONSchema(registrationsFile, { io: 'input', target: 'draft-7' })
