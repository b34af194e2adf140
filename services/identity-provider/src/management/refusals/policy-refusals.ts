import type { Refusal } from './agent-refusals.ts'

/** The refusals of app management policies. Their sentences come with the fault. */
export const policyRefusals = {
  lifetime_exceeds_policy: {
    status: 400,
    code: 'CredentialInvalidLifetimeAsPerAppPolicy',
    sentence: (sentence: string) => sentence,
  },
  credential_forbidden_by_policy: {
    status: 400,
    code: 'CredentialTypeNotAllowedAsPerAppPolicy',
    sentence: (sentence: string) => sentence,
  },
  identifier_uri_forbidden_by_policy: {
    status: 400,
    code: 'HostNameNotOnVerifiedDomain',
    sentence: (sentence: string) => sentence,
  },
  audience_forbidden_by_policy: {
    status: 400,
    code: 'SignInAudienceNotAllowedAsPerAppPolicy',
    sentence: (sentence: string) => sentence,
  },
} satisfies Readonly<Record<string, Refusal>>
