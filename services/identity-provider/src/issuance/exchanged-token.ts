import {
  type Directory,
  isGuid,
  missingRole,
  ownedRoles,
  privilegedApiAppIds,
  privilegedRolesIn,
  rolesEverywhere,
  type ServicePrincipal,
  tokenExchangeAppId,
} from '@greeting/directory'
import {
  type AccessRefusal,
  type AuthenticationRefusal,
  type Refused,
  refuse,
} from '../refusals/refusal.ts'
import type { Assertion } from './assertion.ts'
import type { Client, RegisteredClient } from './client.ts'
import { isFederated } from './federated-authentication.ts'
import type { Resource } from './resource.ts'

/**
 * The claim `xms_ficinfo` of a token for token exchange, by the credential of its client. Entra ID refuses
 * a token as a credential when its client itself had a federated one (entra E186).
 */
const marks = {
  own: 'CAAQABgAIAAoAjAA',
  federated: 'CAAQABgAIAAoAzAAOAE',
} as const

/** The claim `xms_ficinfo` for a client and the credential that it used. */
export const exchangeMark = ({
  agent,
  client,
  credentialId,
}: {
  readonly agent?: ServicePrincipal
  readonly client: Client
  readonly credentialId: string
}): string =>
  // Published tokens for an agent have one value, so it is inferred for a federated blueprint too.
  agent === undefined &&
  client.application.federatedIdentityCredentials.some(({ id }) => id === credentialId)
    ? marks.federated
    : marks.own

/**
 * Finds the principal that presents its token from this server as the credential of another
 * application. The token alone is not enough, because its principal may have been disabled since.
 *
 * @returns the principal, or a refusal: `federated_token_chained` or `federated_assertion_invalid`
 */
export function findPresenter(
  directory: Directory,
  { subject, issuer, claims }: Assertion,
  { application: { tenantId } }: RegisteredClient,
): ServicePrincipal | Refused<AuthenticationRefusal> {
  // Otherwise two applications that trust each other could renew their tokens without any secret.
  // A token for an agent is the credential of this agent only.
  if (claims.xms_ficinfo !== marks.own || !isGuid(subject))
    return refuse({ reason: 'federated_token_chained' })
  const principal = directory.servicePrincipal(subject)
  const isActive =
    principal?.tenantId === tenantId &&
    principal.deletedDateTime === null &&
    principal.accountEnabled &&
    directory.tenant(tenantId)?.isEnabled &&
    directory.applicationByAppId(principal.appId) !== undefined
  return isActive ? principal : refuse({ reason: 'federated_assertion_invalid', issuer })
}

/**
 * Requires for a token of a management API, and for a token with which an agent gets one, that the presenter
 * has the management roles of the client, of both APIs and wherever the token counts. Otherwise a caller that may add a secret to the presenter
 * would get every role of the clients that trust it: with the token, a client can add a secret to itself.
 *
 * @returns `undefined`, or the refusal `role_required`, which names the presenter
 */
export function presenterRefusal(
  directory: Directory,
  presenter: ServicePrincipal,
  { application, principal }: Client,
  resource: Resource,
): Refused<AccessRefusal> | undefined {
  const { appId } = resource.application
  const isForAgent = application.blueprint !== null && appId === tokenExchangeAppId
  if (!isForAgent && !privilegedApiAppIds.includes(appId)) return undefined
  const needed =
    isForAgent || principal.tenantId === application.tenantId
      ? rolesEverywhere(directory, application.appId)
      : privilegedRolesIn(directory)(principal)
  const { appId: applicationId, tenantId } = presenter
  const owned = ownedRoles(directory, { applicationId, tenantId })
  if (missingRole(owned, needed) === undefined) return undefined
  return refuse({
    reason: 'role_required',
    clientId: presenter.appId,
    clientName: presenter.displayName,
    resource: resource.requestedAs,
    resourceName: resource.principal.displayName,
  })
}

/** The ID under which an assertion is recorded as used. Entra ID tokens have `uti` and no `jti`. */
export function replayId(assertion: Assertion): string | null {
  const { uti } = assertion.claims
  return assertion.jti ?? (isFederated(assertion) && typeof uti === 'string' ? uti : null)
}
