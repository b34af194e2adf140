import { z } from 'zod'
import { judgeAppRoles } from '../directory/app-role-rules.ts'
import { isGuid } from '../directory/guid.ts'
import { judgeIdentifierUris } from '../directory/identifier-uri-rules.ts'
import { ownerTenantId, privilegedApiAppIds } from '../directory/privileged-api-ids.ts'
import { storableTextIssues } from '../directory/storable-text.ts'
import { type ValidationIssue, written } from '../directory/validation-issue.ts'
import { jsonText, repeatedMembers } from './json-text.ts'
import { judgeReferences } from './reference-rules.ts'

const guid = z
  .string('must be a GUID')
  .refine(isGuid, 'must be a GUID')
  .transform((text) => text.toLowerCase())
const applicationId = guid.refine(
  (id) => !privilegedApiAppIds.includes(id),
  'must not be that of a management API',
)
const tenantId = guid.refine(
  (id) => id !== ownerTenantId,
  'must not be the id that owns the management APIs',
)
const text = z.string('must be a text').check(({ value, issues }) => {
  for (const message of storableTextIssues(value))
    issues.push({ code: 'custom', input: value, message })
})
const name = text.trim().min(1, 'must not be empty')
const roleNames = z.array(name, 'must list the values of app roles').min(1, 'must not be empty')

const orNone = <Item extends z.ZodType>(item: Item) => z.array(item).default([])

/** Stands for the application id, which nobody knows before the application is registered. */
const placeholder = '{applicationId}'

/** What a file may leave out, and the server then decides. */
export type LeftOut = {
  readonly newGuid: () => string
  /** The tenant of a file that names none. */
  readonly tenantId: string
}

/** An entry of `appRoles` as an application manifest shows it; only three fields must be there. */
const appRole = ({ newGuid }: LeftOut) =>
  z.strictObject({
    allowedMemberTypes: z
      .array(z.enum(['Application', 'User'], 'must be "Application" or "User"'))
      .default(['Application']),
    description: text,
    displayName: text,
    id: z.string('must be a GUID').toLowerCase().default(newGuid),
    isEnabled: z.boolean('must be true or false').default(true),
    lang: z.null('must be null').default(null),
    origin: z.literal('Application', 'must be "Application"').default('Application'),
    value: text,
  })

const api = (leftOut: LeftOut) =>
  z
    .strictObject({
      displayName: name,
      applicationId: applicationId.default(leftOut.newGuid),
      identifierUris: z
        .array(text)
        .min(1, 'must name the API at least once')
        .default([`api://${placeholder}`]),
      appRoles: z.array(appRole(leftOut)),
      requestedAccessTokenVersion: z.literal([1, 2], 'must be 1 or 2').optional(),
      appRoleAssignmentRequired: z.boolean('must be true or false').optional(),
    })
    .check(({ value, issues }) => {
      const faults = [
        ...judgeAppRoles(value.appRoles).map(under('appRoles')),
        ...value.appRoles.flatMap(servesClients),
      ]
      for (const { path, message } of faults)
        issues.push({ code: 'custom', input: value, path: [...path], message })
    })
    .transform((one) => ({
      ...one,
      identifierUris: one.identifierUris.map((uri) =>
        uri.replaceAll(placeholder, one.applicationId),
      ),
    }))

const secret = z.strictObject({
  displayName: name,
  lifetimeDays: z.int('must be a whole number').min(1).max(730).default(180),
  overlapDays: z.int('must be a whole number').min(0).max(365).default(30),
})

const client = ({ newGuid }: LeftOut) =>
  z.strictObject({
    displayName: name,
    applicationId: applicationId.default(newGuid),
    permissions: orNone(z.strictObject({ api: name, roles: roleNames })),
    secrets: orNone(secret),
  })

const tenant = (leftOut: LeftOut) =>
  z
    .strictObject({
      id: tenantId.default(leftOut.tenantId),
      displayName: name.default('Default Directory'),
      domains: orNone(
        z
          .hostname('must be a domain name')
          .toLowerCase()
          .refine((domain) => !isGuid(domain), 'must be a domain name'),
      ),
    })
    .prefault({})

/** The six acts of registration, as a file: docs/reference/registrations.md. */
const registrationsSchema = (leftOut: LeftOut) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      tenant: tenant(leftOut),
      apis: orNone(api(leftOut)),
      clients: orNone(client(leftOut)),
      consents: orNone(z.strictObject({ client: name, api: name, roles: roleNames.optional() })),
      // There is nothing to remove from a directory that is empty.
      removed: z.array(name).optional(),
    })
    .transform((file) => ({
      ...file,
      consents: file.consents.map((consent) => ({
        ...consent,
        roles: consent.roles ?? requestedBy(file.clients, consent),
      })),
    }))
    .check(({ value, issues }) => {
      const faults = [
        ...value.apis.flatMap(({ applicationId, identifierUris }, index) =>
          judgeIdentifierUris({ appId: applicationId, identifierUris }, value.tenant).map(
            under('apis', index, 'identifierUris'),
          ),
        ),
        ...judgeReferences(value),
      ]
      for (const { path, message } of faults)
        issues.push({ code: 'custom', input: value, path: [...path], message })
    })

export type Registrations = z.infer<ReturnType<typeof registrationsSchema>>

/** A file of registrations that cannot be applied; every fault is told, by field. */
export class RegistrationsError extends Error {
  readonly code = 'REGISTRATIONS_INVALID'
  override readonly name = 'RegistrationsError'
}

/**
 * Judges a registrations file, whole.
 *
 * @param file Its bytes, or its text.
 * @param fileName Names the file in the message.
 * @param leftOut Where ids come from that the file does not say.
 * @throws {RegistrationsError} REGISTRATIONS_INVALID when it is not JSON in UTF-8, a member is
 *   repeated, or any field is wrong; the message names each such field.
 */
export function parseRegistrations(
  file: Uint8Array | string,
  fileName: string,
  leftOut: LeftOut,
): Registrations {
  const parsed = registrationsSchema(leftOut).safeParse(parseJson(file, fileName))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `${written([...issue.path, issue.keys[0] ?? ''])} is not known here`
      : `${written(issue.path)} ${issue.message}`.trimStart(),
  )
  throw new RegistrationsError(`The registrations in ${fileName} are wrong: ${faults.join('; ')}.`)
}

function parseJson(file: Uint8Array | string, fileName: string): unknown {
  const { value, repeated } = parsed(file, fileName)
  if (repeated.length === 0) return value
  const faults = repeated.map((path) => `${written(path)} is given twice`).join('; ')
  throw new RegistrationsError(`The registrations in ${fileName} are wrong: ${faults}.`)
}

function parsed(file: Uint8Array | string, fileName: string) {
  try {
    const text = typeof file === 'string' ? file : jsonText(file)
    return { value: JSON.parse(text) as unknown, repeated: repeatedMembers(text) }
  } catch (cause) {
    const what = cause instanceof SyntaxError ? 'JSON' : 'UTF-8'
    throw new RegistrationsError(`The registrations in ${fileName} are not ${what}.`, { cause })
  }
}

const requestedBy = (
  clients: readonly {
    readonly displayName: string
    readonly permissions: readonly { readonly api: string; readonly roles: readonly string[] }[]
  }[],
  consent: { readonly client: string; readonly api: string },
): string[] =>
  clients
    .filter(({ displayName }) => displayName === consent.client)
    .flatMap(({ permissions }) => permissions.filter(({ api: asked }) => asked === consent.api))
    .flatMap(({ roles }) => roles)

function servesClients(
  { allowedMemberTypes }: { allowedMemberTypes: readonly string[] },
  index: number,
): ValidationIssue[] {
  if (allowedMemberTypes.includes('Application')) return []
  const path = ['appRoles', index, 'allowedMemberTypes']
  return [{ code: 'invalid_value', path, message: 'must contain "Application"' }]
}

const under =
  (...steps: (string | number)[]) =>
  (fault: ValidationIssue): ValidationIssue => ({ ...fault, path: [...steps, ...fault.path] })
