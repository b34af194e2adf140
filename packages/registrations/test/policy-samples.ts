import type { Edit } from './agent-samples.ts'

/** Policies that Microsoft Graph or the file refuses. */
export const policyEdits: Edit[] = [
  [
    'a restriction that Microsoft Graph refuses',
    ['policies'],
    {
      defaultAppManagementPolicy: {
        applicationRestrictions: {
          passwordCredentials: [{ restrictionType: 'passwordLifetime' }],
        },
      },
    },
    'policies.defaultAppManagementPolicy.applicationRestrictions.passwordCredentials[0] must have a maxLifetime if and only if it restricts a lifetime',
  ],
  [
    'a repeated policy',
    ['policies'],
    { appManagementPolicies: Array(2).fill({ displayName: 'Exempt', restrictions: {} }) },
    'policies.appManagementPolicies[1].displayName "Exempt" is used twice',
  ],
  [
    'a lifetime of tokens that Entra ID refuses',
    ['policies'],
    { tokenLifetimePolicies: [{ displayName: 'Short', accessTokenLifetime: '00:09:00' }] },
    'policies.tokenLifetimePolicies[0].accessTokenLifetime must be a time from 00:10:00 to 1.00:00:00',
  ],
]
