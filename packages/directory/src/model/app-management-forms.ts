import { z } from 'zod'
import { timeText } from './exact-time.ts'
import { bodyCollection, dateTime, guid, text } from './properties/forms.ts'
import { type ComplexType, complexType, formsOf } from './properties/property.ts'

const durationPattern = /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/

/** An OData duration in milliseconds, such as `P90DT12H`; undefined if it is invalid or zero. */
export function durationMs(duration: string): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = durationPattern.exec(duration) ?? []
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return total === 0 || duration.endsWith('T') ? undefined : total * 1000
}

const duration = text(64).refine(
  (value) => durationMs(value) !== undefined,
  'must be a duration of days, hours, minutes and seconds, as in P90D',
)
const since = dateTime.transform(timeText)

/** A row with the type of an object in `$metadata`, and its form in a body. */
const objectRow = <const Rows extends ComplexType['members']>(name: string, members: Rows) => ({
  type: complexType(name, members),
  body: z.strictObject(formsOf(members)),
})

/** The row of an object that a body may omit. */
const optionalRow = <const Rows extends ComplexType['members']>(name: string, members: Rows) => {
  const { body, type } = objectRow(name, members)
  return { type, body: body.nullish() }
}

const exemption = objectRow('customSecurityAttributeExemption', {
  id: { body: text() },
  operator: { body: z.enum(['equals']) },
  value: { body: text() },
})

/** The members of every restriction. No caller has security attributes here, so no caller is exempt. */
const common = {
  state: { body: z.enum(['enabled', 'disabled']).default('enabled') },
  restrictForAppsCreatedAfterDateTime: {
    type: 'Edm.DateTimeOffset',
    body: since.nullable().default(null),
  },
  excludeActors: optionalRow('appManagementPolicyActorExemptions', {
    customSecurityAttributes: { type: [exemption.type], body: bodyCollection(exemption.body, 5) },
  }),
} as const

/** Restrictions of credentials. Only restrictions of lifetimes require a lifetime. */
const restrictions = <Form extends z.ZodType<{ restrictionType: string; maxLifetime?: unknown }>>(
  type: ComplexType,
  body: Form,
) => ({
  type: [type] as const,
  body: bodyCollection(
    body.refine(
      ({ maxLifetime, restrictionType }) =>
        restrictionType.endsWith('Lifetime') === (typeof maxLifetime === 'string'),
      'must have a maxLifetime if and only if it restricts a lifetime',
    ),
    10,
  )
    .refine(
      (all) => new Set(all.map(({ restrictionType }) => restrictionType)).size === all.length,
      'must have each restrictionType only once',
    )
    .optional(),
})

const maxLifetime = { type: 'Edm.Duration', body: duration.nullable().default(null) }
const passwords = objectRow('passwordCredentialConfiguration', {
  restrictionType: {
    body: z.enum([
      'passwordAddition',
      'passwordLifetime',
      'symmetricKeyAddition',
      'symmetricKeyLifetime',
      'customPasswordAddition',
    ]),
  },
  maxLifetime,
  ...common,
})
const keys = objectRow('keyCredentialConfiguration', {
  restrictionType: { body: z.enum(['asymmetricKeyLifetime', 'trustedCertificateAuthority']) },
  maxLifetime,
  certificateBasedApplicationConfigurationIds: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(guid, 10).optional(),
  },
  ...common,
})
const flag = { type: 'Edm.Boolean', body: z.boolean().default(false) }
const uri = optionalRow('identifierUriRestriction', {
  ...common,
  excludeAppsReceivingV2Tokens: flag,
  excludeSaml: flag,
  isStateSetByMicrosoft: { type: 'Edm.Boolean', body: flag.body.transform(() => false) },
})
const audience = optionalRow('audienceRestriction', common)

const credentials = {
  passwordCredentials: restrictions(passwords.type, passwords.body),
  keyCredentials: restrictions(keys.type, keys.body),
} as const
const ofApplications = {
  identifierUris: optionalRow('identifierUriConfiguration', {
    nonDefaultUriAddition: uri,
    uriAdditionWithoutUniqueTenantIdentifier: uri,
  }),
  audiences: optionalRow('audiencesConfiguration', {
    azureAdMultipleOrgs: audience,
    personalMicrosoftAccount: audience,
  }),
} as const

/** The properties that restrict objects, of assigned policies and of the default policy. */
export const appManagementRows = {
  restrictions: objectRow('customAppManagementConfiguration', {
    ...credentials,
    applicationRestrictions: optionalRow(
      'customAppManagementApplicationConfiguration',
      ofApplications,
    ),
  }),
  applicationRestrictions: objectRow('appManagementApplicationConfiguration', {
    ...credentials,
    ...ofApplications,
  }),
  servicePrincipalRestrictions: objectRow(
    'appManagementServicePrincipalConfiguration',
    credentials,
  ),
} as const

const initially = (state: 'enabled' | 'disabled') => ({
  restrictForAppsCreatedAfterDateTime: null,
  excludeAppsReceivingV2Tokens: true,
  excludeSaml: true,
  state,
  isStateSetByMicrosoft: state === 'enabled',
})

/** The restrictions of the default policy for applications, until the tenant changes it (entra E148). */
export const initialRestrictions = {
  identifierUris: {
    nonDefaultUriAddition: initially('disabled'),
    uriAdditionWithoutUniqueTenantIdentifier: initially('enabled'),
  },
}

/** The members that every restriction has. */
export type Restriction = Pick<
  z.output<typeof uri.body> & object,
  'state' | 'restrictForAppsCreatedAfterDateTime'
>

/** The restrictions of one policy for one kind of object. Each restriction may be absent. */
export type Restrictions = Partial<
  z.output<(typeof appManagementRows)['applicationRestrictions']['body']>
>
