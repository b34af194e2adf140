/** Who may use an application. All but the first permit other tenants. No personal account exists here. */
export const signInAudiences = [
  'AzureADMyOrg',
  'AzureADMultipleOrgs',
  'AzureADandPersonalMicrosoftAccount',
] as const

export type SignInAudience = (typeof signInAudiences)[number]
