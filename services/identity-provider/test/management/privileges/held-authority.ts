import {
  type Application,
  type KeyCredential,
  ownerTenantId,
  privilegedApiAppIds,
  type ServicePrincipal,
  secretSha256,
  tokenExchangeAppId,
} from '@greeting/directory'
import type { DirectoryIndex as Directory } from '../../../../../test/fixtures/directory/directory-index.ts'
import { findClient } from '../../../src/issuance/client.ts'
import { grantedRoles } from '../../../src/issuance/granted-roles.ts'
import { findResource } from '../../../src/issuance/resource.ts'
import { decideAccess, decideToken } from '../../../src/issuance/token-decision.ts'
import { currentRoles } from '../../../src/management/privileges/caller.ts'
import { Refused } from '../../../src/refusals/refusal.ts'

/** A person with credentials of some applications, who can authenticate only as these. */
export type Person = {
  readonly name: string
  /** The secrets that the person has received, by application ID. */
  readonly secrets: Map<string, string[]>
  /** The certificate whose key the person has. */
  readonly certificate: KeyCredential
  /** The authority that the person had from the start, or received from a person who had it. */
  readonly due: Set<string>
}

/** The value of a role in a tenant, which is called authority here. */
export const authorityOf = (tenantId: string, value: string) => `${tenantId} ${value}`

/**
 * The applications for which a person has a credential, even if they are deleted or disabled.
 *
 * @param validIn a tenant in which the credential is good: one of the service principal in the
 * tenant of its application leads to all tenants
 */
export function appIdsOf(directory: Directory, person: Person, validIn?: string): string[] {
  const { certificate, name, secrets } = person
  const tenantIds = [...directory.tenants(), { id: ownerTenantId }].map(({ id }) => id)
  const isKnown = ({
    appId,
    keyCredentials,
    passwordCredentials,
  }: Application | ServicePrincipal) =>
    keyCredentials.some(
      ({ sha256Thumbprint }) => sha256Thumbprint === certificate.sha256Thumbprint,
    ) ||
    (secrets.get(appId) ?? []).some((secret) => {
      const hash = secretSha256(secret)
      return passwordCredentials.some((known) => Buffer.from(known.secretSha256).equals(hash))
    })
  const applications = tenantIds.flatMap((id) => [...directory.applicationsOf(id)])
  const principals = tenantIds.flatMap((id) => [...directory.servicePrincipalsOf(id)])
  const isHome = ({ appId, tenantId }: ServicePrincipal) =>
    applications.some((one) => one.appId === appId && one.tenantId === tenantId)
  const known = [
    ...new Set(
      [
        ...applications.filter(
          (one) =>
            isKnown(one) ||
            one.federatedIdentityCredentials.some(({ subject }) => subject === name),
        ),
        ...principals.filter(
          (one) =>
            isKnown(one) && (validIn === undefined || one.tenantId === validIn || isHome(one)),
        ),
      ].map(({ appId }) => appId),
    ),
  ]
  return [...known, ...known.flatMap((appId) => directory.agentsOf(appId).map(({ id }) => id))]
}

/** The issuer of tokens for token exchange. */
export const ownIssuer = (tenantId: string) => `https://login.example/${tenantId}/v2.0`

/** The principals of this server that an application trusts as its credentials. */
const trustedBy = (directory: Directory, { federatedIdentityCredentials, tenantId }: Application) =>
  federatedIdentityCredentials
    .filter(({ issuer }) => issuer === ownIssuer(tenantId))
    .flatMap(({ id, subject }) => {
      const presenter = directory.servicePrincipal(subject ?? '')
      return presenter?.tenantId === tenantId ? [{ credentialId: id, presenter }] : []
    })

/** The applications of `appIdsOf`, and the applications that trust one of them. */
export function clientIdsOf(directory: Directory, person: Person): string[] {
  const known = new Set(appIdsOf(directory, person))
  const trusting = [...directory.tenants()]
    .flatMap(({ id }) => [...directory.applicationsOf(id)])
    .filter((one) => trustedBy(directory, one).some(({ presenter }) => known.has(presenter.appId)))
  return [...new Set([...known, ...trusting.map(({ appId }) => appId)])]
}

/** The authority in all tokens that a person can get now, according to the real token decision. */
export const authorityHeld = (directory: Directory, person: Person, now: Date): string[] =>
  clientIdsOf(directory, person).flatMap((applicationId) =>
    [...directory.servicePrincipalsOfApplication(applicationId)].flatMap(({ tenantId }) =>
      authorityAs(directory, person, { applicationId, tenantId }, now),
    ),
  )

/** The authority in the tokens that a person can get as one application in one tenant. */
export function authorityAs(
  directory: Directory,
  person: Person,
  client: { readonly applicationId: string; readonly tenantId: string },
  now: Date,
): string[] {
  const { applicationId, tenantId } = client
  return privilegedApiAppIds.flatMap((apiAppId) => {
    const roles = tokenRoles(directory, person, applicationId, tenantId, apiAppId, now)
    if (roles.length === 0) return []
    const values = currentRoles(directory, { tenantId, applicationId, roles }, apiAppId)
    return values.map((value) => authorityOf(tenantId, value))
  })
}

function tokenRoles(
  directory: Directory,
  person: Person,
  clientId: string,
  tenantId: string,
  resource: string,
  now: Date,
): readonly string[] {
  const own = rolesByCredential(directory, person, clientId, tenantId, resource, now)
  if (own !== undefined) return own
  const ofAgent = agentRoles(directory, person, clientId, tenantId, resource, now)
  if (ofAgent !== undefined) return ofAgent
  const federated = federatedRoles(directory, person.name, clientId, tenantId, resource)
  return federated.length > 0
    ? federated
    : presentedRoles(directory, person, clientId, tenantId, resource, now)
}

/** The roles of an agent for a person who authenticates as its blueprint; undefined for other clients. */
function agentRoles(
  directory: Directory,
  person: Person,
  clientId: string,
  tenantId: string,
  resource: string,
  now: Date,
): readonly string[] | undefined {
  const home = directory.tenant(tenantId)
  const client = home && findClient(directory, home, clientId)
  const blueprintAppId = client?.principal?.agentIdentityBlueprintId ?? null
  if (!home || !client?.principal || blueprintAppId === null) return undefined
  const asBlueprint = rolesByCredential(
    directory,
    person,
    blueprintAppId,
    tenantId,
    tokenExchangeAppId,
    now,
    clientId,
  )
  // A person's own issuer authenticates the blueprint without a further check.
  const isFederated = directory
    .applicationByAppId(blueprintAppId)
    ?.federatedIdentityCredentials.some(({ subject }) => subject === person.name)
  const blueprint = findClient(directory, home, blueprintAppId)
  const isOpen = isFederated && blueprint?.principal?.accountEnabled
  if (asBlueprint === undefined && !isOpen) return []
  const { application, principal } = client
  if (!principal.accountEnabled) return []
  const proof = { client: { application, principal }, method: 'assertion' } as const
  const decision = decideAccess(directory, home, { ...proof, credentialId: '' }, { resource })
  return decision instanceof Refused ? [] : decision.roles
}

/** The roles in the token that the secrets or the certificate of a person get; undefined without one. */
function rolesByCredential(
  directory: Directory,
  { certificate, secrets }: Person,
  clientId: string,
  tenantId: string,
  resource: string,
  now: Date,
  fmiPath?: string,
): readonly string[] | undefined {
  const rules = {
    assertionAudiences: () => new Set<string>(),
    ownIssuers: () => [],
    assertionTimes: { clockToleranceSeconds: 60, maxLifetimeSeconds: 3600 },
    usesAssertionsOnce: false,
    acceptsLabSecrets: false,
  }
  const ways = [
    { method: 'tls', sha256Thumbprint: certificate.sha256Thumbprint } as const,
    ...(secrets.get(clientId) ?? []).map((secret) => ({ method: 'secret', secret }) as const),
  ]
  for (const authentication of ways) {
    const request = {
      tenant: tenantId,
      clientId,
      authentication,
      resource,
      ...(fmiPath === undefined ? {} : { fmiPath }),
    }
    const decision = decideToken(directory, request, { rules, assertion: {} }, now)
    if (!(decision instanceof Refused)) return decision.roles
  }
  return undefined
}

/** The roles in the token for which a person presents a token for token exchange of another client. */
function presentedRoles(
  directory: Directory,
  person: Person,
  clientId: string,
  tenantId: string,
  resource: string,
  now: Date,
): readonly string[] {
  const home = directory.tenant(tenantId)
  const client = home && findClient(directory, home, clientId)
  const { application, principal } = client ?? {}
  if (!home?.isEnabled || !application || !principal) return []
  if (application.isFallbackPublicClient) return []
  for (const { credentialId, presenter } of trustedBy(directory, application)) {
    const { appId, tenantId: from } = presenter
    const isPresented =
      rolesByCredential(directory, person, appId, from, tokenExchangeAppId, now) !== undefined
    if (!isPresented || presenter.deletedDateTime !== null) continue
    const authenticated = { client: { application, principal }, method: 'assertion' } as const
    const proof = { ...authenticated, credentialId, presenter }
    const decision = decideAccess(directory, home, proof, { resource })
    if (!(decision instanceof Refused) && decision.roles.length > 0) return decision.roles
  }
  return []
}

/** The decision of `decideToken` on an assertion of the person's own issuer. */
function federatedRoles(
  directory: Directory,
  name: string,
  clientId: string,
  tenantId: string,
  resource: string,
): readonly string[] {
  const home = directory.tenant(tenantId)
  const client = home && findClient(directory, home, clientId)
  const isTrusted = client?.application.federatedIdentityCredentials.some(
    ({ subject }) => subject === name,
  )
  const principal = client?.principal
  const isOpen = principal?.accountEnabled && !client?.application.isFallbackPublicClient
  if (!home?.isEnabled || !client || !principal || !isTrusted || !isOpen) return []
  const api = findResource(directory, home, resource)
  if (api instanceof Refused) return []
  const roles = grantedRoles(directory, { ...client, principal }, api)
  return roles instanceof Refused ? [] : roles
}
