import {
  durationMs,
  initialRestrictions,
  type Restriction,
  type Restrictions,
} from './app-management-forms.ts'
import type { Application } from './application/application.ts'
import { hasTenantName, namesAnother } from './application/identifier-uri-rules.ts'
import { type DirectoryPolicy, defaultAppManagementPolicyId } from './policy.ts'
import type { Tenant } from './tenant.ts'
import { authoritiesIn, isTrusted } from './trusted-authorities.ts'

/** The properties of an application or service principal that app management policies check. */
export type ManagedObject = {
  readonly kind: 'application' | 'servicePrincipal'
  readonly appId: string
  /** Undefined for an object that the change creates. */
  readonly createdDateTime?: Date | undefined
  readonly requestedAccessTokenVersion?: Application['requestedAccessTokenVersion'] | undefined
  /** Without policies, the authorities of certificates are not examined. */
  readonly tenant: Pick<Tenant, 'id' | 'domains'> & {
    readonly policies?: readonly Pick<DirectoryPolicy, 'id' | 'kind' | 'definition'>[] | undefined
  }
  /** Whether its service principal signs people in by SAML. */
  readonly isOfSaml?: boolean
}

type Period = { readonly startDateTime: Date; readonly endDateTime: Date }

/** What a change adds to an object. Existing parts are not checked. */
export type ManagedChange = {
  readonly secrets?: readonly (Period & {
    /** Whether the caller has chosen its text. */
    readonly isCustom?: boolean
  })[]
  /** DER. */
  readonly certificates?: readonly (Period & { readonly certificate: Uint8Array })[]
  readonly identifierUris?: readonly string[]
  readonly signInAudience?: Application['signInAudience']
}

/** A refusal by an app management policy, with Entra ID's code and sentence. */
export type AppManagementFault = {
  readonly code:
    | 'CredentialInvalidLifetimeAsPerAppPolicy'
    | 'CredentialTypeNotAllowedAsPerAppPolicy'
    | 'HostNameNotOnVerifiedDomain'
    | 'InvalidUniqueTenantIdentifierAsPerAppPolicy'
    | 'SignInAudienceNotAllowedAsPerAppPolicy'
  readonly message: string
  readonly details: readonly {
    readonly code: string
    readonly target: string
    readonly message: string
  }[]
  readonly policyId: string
}

const fault = (
  policyId: string,
  code: AppManagementFault['code'],
  message: string,
  [detail, target]: readonly [code: string, target: string],
): AppManagementFault => ({ code, message, details: [{ code: detail, target, message }], policyId })

function restrictionsOf(
  { definition, id }: DirectoryPolicy,
  kind: ManagedObject['kind'],
): Restrictions {
  const { applicationRestrictions, servicePrincipalRestrictions, ...credentials } = Object(
    definition,
  ) as Record<string, Restrictions | null>
  const isOfApplication = kind === 'application'
  if (id === defaultAppManagementPolicyId)
    return isOfApplication
      ? { ...initialRestrictions, ...applicationRestrictions }
      : (servicePrincipalRestrictions ?? {})
  return { ...credentials, ...(isOfApplication ? applicationRestrictions : {}) }
}

type CredentialRestriction = {
  readonly restrictionType: string
  readonly maxLifetime: string | null
  readonly certificateBasedApplicationConfigurationIds?: readonly string[] | undefined
}

function credentialFault(
  policyId: string,
  {
    certificateBasedApplicationConfigurationIds: lists = [],
    maxLifetime,
    restrictionType: restriction,
  }: CredentialRestriction,
  { policies }: ManagedObject['tenant'],
  { certificates = [], secrets = [] }: ManagedChange,
): AppManagementFault[] {
  if (restriction === 'trustedCertificateAuthority') {
    const trusted = policies?.filter(
      ({ id, kind }) => kind === 'trustedAuthorities' && lists.includes(id),
    )
    const isUntrusted = ({ certificate }: { readonly certificate: Uint8Array }) =>
      certificate.length === 0 ||
      trusted?.every((list) => !isTrusted(certificate, authoritiesIn(list)))
    if (!certificates.some(isUntrusted)) return []
    const message = `Credential not issued by a trusted certificate authority as per assigned policy '${policyId}'.`
    const detail = ['CertificateAuthorityNotTrusted', 'KeyCredentials'] as const
    return [fault(policyId, 'CredentialTypeNotAllowedAsPerAppPolicy', message, detail)]
  }
  const isAdded =
    (restriction === 'passwordAddition' && secrets.length > 0) ||
    (restriction === 'customPasswordAddition' && secrets.some(({ isCustom }) => isCustom))
  if (isAdded) {
    const message = `Credential type not allowed as per assigned policy '${policyId}'.`
    const detail = ['CredentialTypeNotAllowed', 'PasswordCredentials'] as const
    return [fault(policyId, 'CredentialTypeNotAllowedAsPerAppPolicy', message, detail)]
  }
  const limited = { passwordLifetime: secrets, asymmetricKeyLifetime: certificates }
  const periods: readonly Period[] = limited[restriction as keyof typeof limited] ?? []
  const maxLifetimeMs = durationMs(maxLifetime ?? '') ?? Number.POSITIVE_INFINITY
  const isTooLong = ({ endDateTime, startDateTime }: Period) =>
    Number(endDateTime) - Number(startDateTime) > maxLifetimeMs
  if (!periods.some(isTooLong)) return []
  const message = `Credential lifetime exceeds the max value allowed as per assigned policy '${policyId}'.`
  const code = 'CredentialInvalidLifetimeAsPerAppPolicy'
  return [fault(policyId, code, message, ['InvalidKeyEndDate', 'EndDate'])]
}

/** The restrictions of new identifier URIs, with the sentences of Entra ID. */
const uriRules = [
  {
    name: 'nonDefaultUriAddition',
    code: 'HostNameNotOnVerifiedDomain',
    isAllowed: (uri: string, { appId, tenant }: ManagedObject) =>
      [`api://${appId}`, `api://${tenant.id}/${appId}`].includes(uri.toLowerCase()),
    sentence: (uri: string) =>
      `The newly added URI ${uri} must comply with the format 'api://{appId}' or 'api://{tenantId}/{appId}' as per the default app management policy of your organization. If the requestedAccessTokenVersion is set to 2, this restriction may not apply. See https://aka.ms/identifier-uri-addition-error for more information on this error.`,
  },
  {
    name: 'uriAdditionWithoutUniqueTenantIdentifier',
    code: 'InvalidUniqueTenantIdentifierAsPerAppPolicy',
    isAllowed: (uri: string, { appId, tenant }: ManagedObject) => hasTenantName(uri, appId, tenant),
    sentence: (uri: string) =>
      `Failed to add identifier URI ${uri}. All newly added URIs must contain a tenant verified domain, tenant ID, or app ID, as per the default tenant policy of your organization. See https://aka.ms/identifier-uri-addition-error for more information on this error.`,
  },
  {
    // The rule of 2021, which no policy switches off (entra E149).
    name: undefined,
    code: 'HostNameNotOnVerifiedDomain',
    isAllowed: (uri: string, object: ManagedObject) =>
      !namesAnother(uri, object.appId, object.tenant) &&
      (receivesVersion2(object) ||
        object.isOfSaml ||
        uri.toLowerCase().startsWith('api://') ||
        hasTenantName(uri, object.appId, object.tenant)),
    sentence: (uri: string) =>
      `Values of identifierUris property must use a verified domain of the organization or its subdomain: '${uri}'`,
  },
] as const

const receivesVersion2 = (object: ManagedObject) => object.requestedAccessTokenVersion === 2

function audienceFaults(
  policyId: string,
  audience: Application['signInAudience'] | undefined,
  isRestricted: (name: 'azureAdMultipleOrgs' | 'personalMicrosoftAccount') => boolean,
): AppManagementFault[] {
  const isRefused =
    audience !== undefined &&
    ((audience !== 'AzureADMyOrg' && isRestricted('azureAdMultipleOrgs')) ||
      (audience === 'AzureADandPersonalMicrosoftAccount' &&
        isRestricted('personalMicrosoftAccount')))
  if (!isRefused) return []
  const message = `'signInAudience' property value '${audience}' is not allowed.`
  const detail = ['SignInAudienceNotAllowed', 'signInAudience'] as const
  return [fault(policyId, 'SignInAudienceNotAllowedAsPerAppPolicy', message, detail)]
}

/**
 * Returns the faults of a change according to an object's app management policy (entra E220 to E227).
 *
 * @param policy the answer of `policyOf`
 */
export function appManagementFaults(
  policy: DirectoryPolicy | undefined,
  object: ManagedObject,
  change: ManagedChange,
  now: Date,
): AppManagementFault[] {
  if (policy === undefined) return []
  const {
    audiences,
    identifierUris,
    keyCredentials = [],
    passwordCredentials = [],
  } = policy.isEnabled ? restrictionsOf(policy, object.kind) : {}
  const createdAt = object.createdDateTime ?? now
  const applies = (one: Restriction | null | undefined): one is Restriction => {
    const since = one?.restrictForAppsCreatedAfterDateTime ?? null
    return one?.state === 'enabled' && (since === null || createdAt >= new Date(since))
  }
  const credentialFaults = [...passwordCredentials, ...keyCredentials]
    .filter(applies)
    .flatMap((one) => credentialFault(policy.id, one, object.tenant, change))
  return [
    ...credentialFaults,
    ...(change.identifierUris ?? []).flatMap((uri) => {
      const row = uriRules.find(({ isAllowed, name }) => {
        const one = name && identifierUris?.[name]
        const isExempt =
          (one?.excludeAppsReceivingV2Tokens && receivesVersion2(object)) ||
          (one?.excludeSaml && object.isOfSaml)
        return (name === undefined || (applies(one) && !isExempt)) && !isAllowed(uri, object)
      })
      if (row === undefined) return []
      const detail = row.name ?? row.code
      return fault(policy.id, row.code, row.sentence(uri), [detail, 'identifierUris'])
    }),
    ...audienceFaults(policy.id, change.signInAudience, (name) => applies(audiences?.[name])),
  ]
}
