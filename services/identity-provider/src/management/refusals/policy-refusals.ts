import type { Refusal } from './agent-refusals.ts'

/** A refusal by a policy. Its sentence comes with the fault. */
const ofFault = { status: 400, sentence: (sentence: string) => sentence } as const

/** The refusals by app management policies, and by the lock of an application. */
export const policyRefusals = {
  locked_by_application: { ...ofFault, code: 'CannotUpdateLockedServicePrincipalProperty' },
  lifetime_exceeds_policy: { ...ofFault, code: 'CredentialInvalidLifetimeAsPerAppPolicy' },
  credential_forbidden_by_policy: { ...ofFault, code: 'CredentialTypeNotAllowedAsPerAppPolicy' },
  identifier_uri_forbidden_by_policy: { ...ofFault, code: 'HostNameNotOnVerifiedDomain' },
  identifier_uri_without_tenant: {
    ...ofFault,
    code: 'InvalidUniqueTenantIdentifierAsPerAppPolicy',
  },
  audience_forbidden_by_policy: { ...ofFault, code: 'SignInAudienceNotAllowedAsPerAppPolicy' },
} satisfies Readonly<Record<string, Refusal>>
