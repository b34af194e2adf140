import { credentialName } from '@greeting/identity-provider/parts/directory/application/credential'
import {
  graphAppId,
  serverManagementAppId,
} from '@greeting/identity-provider/parts/directory/privileged-api-ids'
import type { ServiceOptions } from '@greeting/identity-provider/parts/http/service-options'
import { type IssuanceRefusal, Refused } from '@greeting/identity-provider/parts/issuance/refusal'
import { decideToken } from '@greeting/identity-provider/parts/issuance/token-decision'
import type { Administrator } from '@greeting/portal/parts/security/one-time-link'

/** Why a sign-in failed. */
export type SignInFault = 'credentials_wrong' | 'credential_ended' | 'no_role' | 'throttled'

/** The sentence for each fault. An unknown client and a wrong secret have the same. */
export const signInSentences: Readonly<Record<SignInFault, string>> = {
  credentials_wrong: 'The client ID or the client secret is wrong.',
  credential_ended: 'This client secret is not valid now. Sign in with another one.',
  no_role:
    'This application is disabled, or has no role of Microsoft Graph or of the management API. Only an administrator application can sign in.',
  throttled: 'There were too many wrong attempts. Wait a minute, then try again.',
}

/** The known parts of a sign-in, for the limit of attempts and for the log. */
export type SignInAttempt = {
  readonly clientId: string
  readonly clientSecret: string
  /** The address from which it comes. */
  readonly source: string
}

type Options = Pick<
  ServiceOptions,
  'directory' | 'source' | 'assertionTimes' | 'throttle' | 'audit' | 'noteUse'
>

const wrongCredentials: ReadonlySet<IssuanceRefusal['reason']> = new Set([
  'client_unknown',
  'client_public',
  'secret_wrong',
  'tenant_unknown',
])
const unusableCredentials: ReadonlySet<IssuanceRefusal['reason']> = new Set([
  'secret_not_yet_valid',
  'secret_expired',
  'secret_not_allowed',
])
const maxClientIdLength = 256

/**
 * Signs an administrator application in by its secret. The decision is that of a token request for a
 * management API, and so are the limit of wrong attempts and the sign-in log.
 *
 * @param action the name in the sign-in log
 * @returns the administrator, or the fault
 */
export async function signInAdministrator(
  options: Options,
  { clientId, clientSecret, source }: SignInAttempt,
  action: 'portal.signIn' | 'portal.confirm' = 'portal.signIn',
): Promise<Administrator | SignInFault> {
  const now = options.source.now()
  const { tenantId, decisions } = await options.directory.read((directory) => {
    // The comparison of an unknown client takes as long, in a tenant of administrators.
    const [api] = directory.servicePrincipalsOfApplication(serverManagementAppId)
    const tenant = directory.applicationByAppId(clientId)?.tenantId ?? api?.tenantId ?? ''
    const decide = (resource: string) =>
      decideToken(
        directory,
        {
          tenant,
          clientId,
          authentication: { method: 'secret', secret: clientSecret },
          resource,
        },
        {
          rules: {
            assertionTimes: options.assertionTimes,
            assertionAudiences: () => new Set(),
            usesAssertionsOnce: false,
          },
          assertion: {},
        },
        now,
      )
    return { tenantId: tenant, decisions: [decide(graphAppId), decide(serverManagementAppId)] }
  })
  const actor = clientId.slice(0, maxClientIdLength)
  const record = { at: now, tenantId, actor, action, target: null }
  const correlationId = options.source.newGuid()
  const granted = decisions.find((one) => !(one instanceof Refused) && one.roles.length > 0)
  if (granted !== undefined && !(granted instanceof Refused)) {
    options.noteUse(credentialName(granted.client.application, granted.credentialId), now)
    options.audit({ ...record, outcome: 'done', reason: null, correlationId }, 'signIns')
    return { tenantId, applicationId: actor, credentialId: granted.credentialId }
  }
  const [decision] = decisions
  const reason = decision instanceof Refused ? decision.refusal.reason : 'role_required'
  const fault = faultOf(reason)
  if (fault !== 'no_role') {
    const waitSeconds = options.throttle.count(
      fault === 'credentials_wrong' ? actor : undefined,
      source,
    )
    if (waitSeconds !== undefined) return 'throttled'
  }
  const lane = fault === 'no_role' ? 'signIns' : 'unauthenticated'
  options.audit({ ...record, outcome: 'refused', reason, correlationId }, lane)
  return fault
}

function faultOf(reason: IssuanceRefusal['reason']): SignInFault {
  if (wrongCredentials.has(reason)) return 'credentials_wrong'
  return unusableCredentials.has(reason) ? 'credential_ended' : 'no_role'
}
