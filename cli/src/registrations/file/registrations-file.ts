import { z } from 'zod'
import { appRoleEntry } from './app-role-entry.ts'
import { judgeReferences } from './file-references.ts'

const displayName = z.string().trim().min(1).max(120)
const applicationId = z
  .guid()
  .toLowerCase()
  .optional()
  .describe(
    'Application (client) ID of a registration that exists, whatever its name. Left out: created, and the directory chooses the id; an application that has the name already is used only when this command made it or a person confirms it.',
  )

/** Stands for the application id, which nobody knows before the application is registered. */
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
      .describe('Tenant ID. When given, the file is applied to this tenant and to no other.'),
    displayName: displayName.optional().describe('Name of a tenant that is made locally.'),
    domains: z
      .array(z.string().toLowerCase())
      .optional()
      .describe('Verified domains of a tenant that is made locally.'),
  })
  .meta({ title: 'Tenant' })

const api = z
  .strictObject({
    displayName: displayName.describe(
      'Name of the API, by which the rest of the file speaks of it.',
    ),
    applicationId,
    identifierUris: z
      .array(identifierUri)
      .min(1)
      .optional()
      .describe(
        'The names that tokens are requested for; `{applicationId}` stands for the application ID. Left out: `api://{applicationId}`, unless it has one already.',
      ),
    requestedAccessTokenVersion: z
      .literal([1, 2])
      .optional()
      .describe('Version of the tokens made for the API. Left out: as it is; 1 for a new API.'),
    appRoleAssignmentRequired: z
      .boolean()
      .optional()
      .describe(
        'Whether a client without any role of the API is refused a token. Left out: as it is.',
      ),
    appRoles: z.array(appRoleEntry).describe('The application roles of the API, all of them.'),
  })
  .meta({ title: 'API' })

const permission = z
  .strictObject({
    api: z.string().min(1).describe('Name of an API of this file or of the directory.'),
    roles: z.array(z.string().min(1)).min(1).describe('Values of the application roles requested.'),
  })
  .meta({ title: 'Permission' })

const secret = z
  .strictObject({
    displayName: displayName.describe('Name of the secret; one that is rotated keeps it.'),
    lifetimeDays: z
      .int()
      .min(1)
      .max(730)
      .default(180)
      .describe('How long a new secret is good, in days.'),
    overlapDays: z
      .int()
      .min(0)
      .max(365)
      .default(30)
      .describe(
        'How long before its end the secret is due for rotation, in days. Old and new are both good until then.',
      ),
  })
  .refine(({ lifetimeDays, overlapDays }) => overlapDays < lifetimeDays, {
    path: ['overlapDays'],
    message: 'must be less than lifetimeDays, or every run would rotate the secret',
  })
  .meta({ title: 'Client secret' })

const certificate = z
  .strictObject({
    displayName: displayName.describe('Name of the certificate.'),
    path: z
      .string()
      .min(1)
      .describe(
        'File of the certificate, PEM, from the folder of this file. Never the private key.',
      ),
    warningDays: z
      .int()
      .min(0)
      .max(730)
      .default(30)
      .describe('How long before its end `plan` begins to warn, in days.'),
  })
  .meta({ title: 'Certificate' })

const client = z
  .strictObject({
    displayName: displayName.describe(
      'Name of the client, by which the rest of the file speaks of it.',
    ),
    applicationId,
    permissions: z
      .array(permission)
      .optional()
      .describe('The application permissions that the client requests. Requesting grants nothing.'),
    secrets: z.array(secret).optional().describe('The client secrets.'),
    certificates: z.array(certificate).optional().describe('The certificates.'),
  })
  .meta({ title: 'Client' })

const consent = z
  .strictObject({
    client: z.string().min(1).describe('Name of a client of this file.'),
    api: z.string().min(1).describe('Name of the API.'),
    roles: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Values of the roles granted. Left out: all that the client requests of this API.'),
  })
  .meta({ title: 'Admin consent' })

/**
 * The registrations of a system, as a file that people review. A list that is left out is not
 * managed; a list that is given is the whole truth about what it lists.
 */
export const registrationsFile = z
  .strictObject({
    $schema: z.string().optional().describe('Where editors find the schema of this file.'),
    tenant: tenant.optional().describe('The tenant that the file is for.'),
    apis: z.array(api).default([]).describe('The APIs: acts 1 and 2.'),
    clients: z.array(client).default([]).describe('The clients: acts 3, 4 and 6.'),
    consents: z
      .array(consent)
      .optional()
      .describe('What the administrator grants to the clients of this file: act 5.'),
    removed: z
      .array(displayName)
      .default([])
      .describe('Names, or application IDs, of applications that must not exist any more.'),
  })
  .superRefine(judgeReferences)
  .meta({
    title: 'Greeting registrations',
    description:
      'The six registration acts as a file: APIs with their application roles, clients with the permissions they request, admin consents, secrets.',
  })

export type RegistrationsFile = z.output<typeof registrationsFile>
export type ApiEntry = RegistrationsFile['apis'][number]
export type ClientEntry = RegistrationsFile['clients'][number]
export type SecretEntry = NonNullable<ClientEntry['secrets']>[number]
export type CertificateEntry = NonNullable<ClientEntry['certificates']>[number]
