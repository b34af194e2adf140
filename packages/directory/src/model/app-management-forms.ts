import { z } from 'zod'
import { bodyCollection, dateTime, text } from './properties/forms.ts'
import { complexType, formsOf } from './properties/property.ts'

const durationPattern = /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/

/** A duration of OData in milliseconds, such as `P90DT12H`; undefined when it is none, or zero. */
export function durationMs(duration: string): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = durationPattern.exec(duration) ?? []
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return total === 0 || duration.endsWith('T') ? undefined : total * 1000
}

const duration = text(64).refine(
  (value) => durationMs(value) !== undefined,
  'must be a duration of days, hours, minutes and seconds, as in P90D',
)
const since = dateTime.transform((date) => date.toISOString().replace('.000Z', 'Z'))

const exemption = complexType('customSecurityAttributeExemption', {
  id: { body: text() },
  operator: { body: z.enum(['equals']) },
  value: { body: text() },
})
const exemptions = complexType('appManagementPolicyActorExemptions', {
  customSecurityAttributes: {
    type: [exemption],
    body: bodyCollection(z.strictObject(formsOf(exemption.members)), 5),
  },
})

/** The members of every restriction. No caller has security attributes here, so no caller is exempt. */
const common = {
  state: { body: z.enum(['enabled', 'disabled']).default('enabled') },
  restrictForAppsCreatedAfterDateTime: {
    type: 'Edm.DateTimeOffset',
    body: since.nullable().default(null),
  },
  excludeActors: {
    type: exemptions,
    body: z.strictObject(formsOf(exemptions.members)).nullish(),
  },
} as const

/** One form of restrictions of credentials. A lifetime is required for those of lifetimes, and for no other. */
const restrictions = <Form extends z.ZodType<{ restrictionType: string; maxLifetime?: unknown }>>(
  form: Form,
) =>
  bodyCollection(
    form.refine(
      ({ maxLifetime, restrictionType: type }) =>
        type.endsWith('Lifetime') === (typeof maxLifetime === 'string'),
      'must have a maxLifetime if and only if it restricts a lifetime',
    ),
    10,
  )
    .refine(
      (all) => new Set(all.map(({ restrictionType }) => restrictionType)).size === all.length,
      'must have each restrictionType only once',
    )
    .optional()

const passwords = complexType('passwordCredentialConfiguration', {
  restrictionType: {
    body: z.enum([
      'passwordAddition',
      'passwordLifetime',
      'symmetricKeyAddition',
      'symmetricKeyLifetime',
      'customPasswordAddition',
    ]),
  },
  maxLifetime: { type: 'Edm.Duration', body: duration.nullable().default(null) },
  ...common,
})
const keys = complexType('keyCredentialConfiguration', {
  restrictionType: { body: z.enum(['asymmetricKeyLifetime', 'trustedCertificateAuthority']) },
  maxLifetime: { type: 'Edm.Duration', body: duration.nullable().default(null) },
  certificateBasedApplicationConfigurationIds: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(text(), 10).optional(),
  },
  ...common,
})
const uris = complexType('identifierUriRestriction', {
  ...common,
  excludeAppsReceivingV2Tokens: { type: 'Edm.Boolean', body: z.boolean().default(false) },
  excludeSaml: { type: 'Edm.Boolean', body: z.boolean().default(false) },
})
const uri = { type: uris, body: z.strictObject(formsOf(uris.members)).nullish() }
const identifierUris = complexType('identifierUriConfiguration', {
  nonDefaultUriAddition: uri,
  uriAdditionWithoutUniqueTenantIdentifier: uri,
})
const audience = complexType('audienceRestriction', common)
const audienceRow = { type: audience, body: z.strictObject(formsOf(audience.members)).nullish() }
const audiences = complexType('audiencesConfiguration', {
  azureAdMultipleOrgs: audienceRow,
  personalMicrosoftAccount: audienceRow,
})

const credentials = {
  passwordCredentials: {
    type: [passwords],
    body: restrictions(z.strictObject(formsOf(passwords.members))),
  },
  keyCredentials: { type: [keys], body: restrictions(z.strictObject(formsOf(keys.members))) },
} as const
const ofApplications = {
  identifierUris: {
    type: identifierUris,
    body: z.strictObject(formsOf(identifierUris.members)).nullish(),
  },
  audiences: { type: audiences, body: z.strictObject(formsOf(audiences.members)).nullish() },
} as const

const onApplications = complexType('appManagementApplicationConfiguration', {
  ...credentials,
  ...ofApplications,
})
const onPrincipals = complexType('appManagementServicePrincipalConfiguration', credentials)
const custom = complexType('customAppManagementApplicationConfiguration', ofApplications)
const ofPolicy = complexType('customAppManagementConfiguration', {
  ...credentials,
  applicationRestrictions: {
    type: custom,
    body: z.strictObject(formsOf(custom.members)).nullish(),
  },
})

/** The restrictions of policies that are assigned, and of the default policy. */
export const appManagementRows = {
  restrictions: { type: ofPolicy, body: z.strictObject(formsOf(ofPolicy.members)) },
  applicationRestrictions: {
    type: onApplications,
    body: z.strictObject(formsOf(onApplications.members)),
  },
  servicePrincipalRestrictions: {
    type: onPrincipals,
    body: z.strictObject(formsOf(onPrincipals.members)),
  },
} as const

/** The members that every restriction has. */
export type Restriction = Pick<
  z.output<typeof uri.body> & object,
  'state' | 'restrictForAppsCreatedAfterDateTime'
>

/** The restrictions of one policy for the objects of one kind. A policy may lack each of them. */
export type Restrictions = Partial<
  z.output<(typeof appManagementRows)['applicationRestrictions']['body']>
>
