import {
  credentialName,
  type Directory,
  graphAppId,
  serverManagementAppId,
} from '@greeting/directory'
import type { Administrator, SignInAttempt, SignInFault } from '@greeting/portal'
import type { ServiceOptions } from '../endpoints/service-options.ts'
import type { Client } from '../issuance/client.ts'
import { grantedRoles } from '../issuance/granted-roles.ts'
import { decideToken } from '../issuance/token-decision.ts'
import { type Refusal, Refused } from '../refusals/refusal.ts'
import { refusalTable } from '../refusals/refusal-table.ts'

type Options = Pick<
  ServiceOptions,
  'directory' | 'source' | 'assertionTimes' | 'throttle' | 'audit' | 'noteUse'
>

const maxClientIdLength = 256

/**
 * Signs in an administrator application with its secret. It uses the decision of a token request
 * for a management API, the same limit of wrong attempts, and the sign-in log.
 *
 * @param action the name in the sign-in log
 * @returns the administrator, or the fault
 */
export async function signInAdministrator(
  options: Options,
  { clientId, clientSecret, source }: SignInAttempt,
  action: 'portal.signIn' | 'portal.confirm',
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
            ownIssuers: () => [],
            usesAssertionsOnce: false,
            acceptsLabSecrets: false,
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

function faultOf(reason: Refusal['reason']): SignInFault {
  const { phase, isGuess } = refusalTable[reason]
  if (phase === 'access') return 'no_role'
  // Only an administrator that knows the secret learns its times.
  return reason.startsWith('secret_') && !isGuess ? 'credential_ended' : 'credentials_wrong'
}

/**
 * True if the tenant, the application, its service principal, the credential and a management role
 * are still valid. The credential may belong to the service principal.
 */
export function isAdministrator(
  directory: Directory,
  { tenantId, applicationId, credentialId }: Administrator,
  now: Date,
): boolean {
  const principal = directory.servicePrincipalByAppId(tenantId, applicationId)
  const application = directory.applicationByAppId(applicationId)
  const isEnabled = directory.tenant(tenantId)?.isEnabled && principal?.accountEnabled
  if (!isEnabled || !application?.passwordAuthenticationAllowed) return false
  const secrets = [...application.passwordCredentials, ...principal.passwordCredentials]
  const credential = secrets.find(({ keyId }) => keyId === credentialId)
  if (credential === undefined || credential.endDateTime <= now) return false
  return [graphAppId, serverManagementAppId].some((appId) =>
    hasRole(directory, tenantId, { application, principal }, appId),
  )
}

function hasRole(directory: Directory, tenantId: string, client: Client, appId: string): boolean {
  const principal = directory.servicePrincipalByAppId(tenantId, appId)
  const application = directory.applicationByAppId(appId)
  if (!application || !principal?.accountEnabled) return false
  const roles = grantedRoles(directory, client, { requestedAs: appId, application, principal })
  return Array.isArray(roles) && roles.length > 0
}
