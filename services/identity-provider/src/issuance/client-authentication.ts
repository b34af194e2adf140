import type { Directory, ServicePrincipal, Tenant } from '@greeting/directory'
import {
  type AccessRefusal,
  type AuthenticationRefusal,
  Refused,
  refuse,
} from '../refusals/refusal.ts'
import { isAgent } from './agent-identity.ts'
import {
  type Assertion,
  type AssertionTimes,
  assertionTimeRefusal,
  readAssertion,
} from './assertion.ts'
import {
  assertionAlgorithmsFor,
  displayedKeyOf,
  findCertificate,
  findTlsCertificate,
  signerOf,
} from './certificate-authentication.ts'
import { type Client, findClient, type RegisteredClient } from './client.ts'
import { findPresenter, replayId } from './exchanged-token.ts'
import {
  type FederatedVerification,
  findFederatedCredential,
  isFederated,
} from './federated-authentication.ts'
import { authenticateBySecret, matchingCredential } from './secret-authentication.ts'
import type { TokenRequest } from './token-request.ts'

/** The rules of this server for client authentication. */
export type AuthenticationRules = {
  readonly assertionTimes: AssertionTimes
  /** The strings by which an assertion may name this server, for a tenant. */
  readonly assertionAudiences: (tenant: Tenant) => ReadonlySet<string>
  /** The issuers of v2.0 tokens of this server, for a tenant. */
  readonly ownIssuers: (tenant: Tenant) => readonly string[]
  /** Whether an assertion is valid once. If not, it may be used until it expires. */
  readonly usesAssertionsOnce: boolean
  /** Whether the server has a lab. Only there, a secret may be one that a test has chosen. */
  readonly acceptsLabSecrets: boolean
  /** Whether requests of MCP clients are accepted that Entra refuses. Default: false. */
  readonly acceptsMcpClients?: boolean
}

/**
 * The facts about a client assertion that the directory does not contain. They are collected before
 * the decision. If a fact is missing, the assertion is refused.
 */
export type AssertionFacts = {
  /** The result of verifying the signature. */
  readonly signature?: FederatedVerification
  /** The name of the key that verified an assertion whose header names none. */
  readonly keyName?: string
  /** Whether the replay cache saw the assertion for the first time. */
  readonly isFirstUse?: boolean
}

export type AuthenticatedClient = {
  readonly client: Client
  readonly method: 'secret' | 'assertion' | 'tls'
  readonly credentialId: string
  /** The principal whose token of this server was the assertion. */
  readonly presenter?: ServicePrincipal
  /** SHA-256 of the certificate to which the token is bound, in base64url; absent for a bearer token. */
  readonly boundTo?: string
}

/** A client that has proven its identity. It may lack a service principal. */
type ProvenClient = Omit<AuthenticatedClient, 'client'> & { readonly client: RegisteredClient }

/**
 * Authenticates the client of a token request.
 *
 * @returns the client, or the refusal of the first rule that fails
 */
export function authenticateClient(
  directory: Directory,
  tenant: Tenant,
  request: TokenRequest,
  facts: AssertionFacts,
  rules: AuthenticationRules,
  now: Date,
): AuthenticatedClient | Refused<AuthenticationRefusal> | Refused<AccessRefusal> {
  const proven = proveClient(directory, tenant, request, facts, rules, now)
  return proven instanceof Refused ? proven : requirePrincipal(proven, tenant)
}

function proveClient(
  directory: Directory,
  tenant: Tenant,
  request: TokenRequest,
  facts: AssertionFacts,
  rules: AuthenticationRules,
  now: Date,
): ProvenClient | Refused<AuthenticationRefusal> {
  const { authentication, clientId } = request
  const { clockToleranceSeconds } = rules.assertionTimes
  const known = findClient(directory, tenant, clientId, rules.ownIssuers)
  const { method } = authentication
  if (method === 'secret') {
    // Compared first: an unknown client must not get a faster answer than a known one.
    const match = matchingCredential(known, authentication.secret, rules.acceptsLabSecrets)
    const client = requireConfidentialClient(known, clientId, tenant)
    if (client instanceof Refused) return client
    const credential = authenticateBySecret(client, match, now, clockToleranceSeconds)
    return credential instanceof Refused
      ? credential
      : { client, method, credentialId: credential.keyId }
  }
  if (method === 'tls') {
    const client = requireConfidentialClient(known, clientId, tenant)
    if (client instanceof Refused) return client
    const { sha256Thumbprint: boundTo } = authentication
    const credential = findTlsCertificate(boundTo, client, now, clockToleranceSeconds)
    return credential instanceof Refused
      ? credential
      : { client, method, credentialId: credential.keyId, boundTo }
  }
  const assertion = readAssertion(authentication.assertion)
  if (assertion instanceof Refused) return assertion
  const client = requireConfidentialClient(known, clientId, tenant)
  if (client instanceof Refused) return client
  const proof = authenticateByAssertion(directory, assertion, client, tenant, facts, rules, now)
  return proof instanceof Refused ? proof : { client, method, ...proof }
}

/**
 * Requires the service principal last, so that only the client itself learns that it is missing.
 *
 * @returns the authenticated client, or the refusal `service_principal_missing`
 */
function requirePrincipal(
  { client: { application, principal }, ...proof }: ProvenClient,
  tenant: Tenant,
): AuthenticatedClient | Refused<AccessRefusal> {
  if (principal !== undefined) return { client: { application, principal }, ...proof }
  const reason = 'service_principal_missing'
  return refuse({ reason, clientId: application.appId, tenantId: tenant.id })
}

/** @returns the client, or a refusal: `client_unknown` or `client_public` */
function requireConfidentialClient(
  client: RegisteredClient | undefined,
  clientId: string,
  tenant: Tenant,
): RegisteredClient | Refused<AuthenticationRefusal> {
  if (client === undefined)
    return refuse({ reason: 'client_unknown', clientId, tenantName: tenant.displayName })
  return client.application.isFallbackPublicClient ? refuse({ reason: 'client_public' }) : client
}

/** The credential that an assertion proves. */
type Proof = Pick<AuthenticatedClient, 'credentialId' | 'presenter'>

/** @returns the credential, or a refusal */
function authenticateByAssertion(
  directory: Directory,
  assertion: Assertion,
  client: RegisteredClient,
  tenant: Tenant,
  facts: AssertionFacts,
  rules: AuthenticationRules,
  now: Date,
): Proof | Refused<AuthenticationRefusal> {
  const proof = isFederated(assertion)
    ? authenticateByFederatedAssertion(directory, assertion, client, facts, now)
    : authenticateByCertificate(assertion, client, tenant, facts, rules, now)
  if (proof instanceof Refused || !rules.usesAssertionsOnce) return proof
  // An agent gets tokens with the same token of its blueprint until that expires, as in Entra ID.
  if (isAgent(client)) return proof
  // Last, so that only the holder of the key can use an assertion up.
  if (replayId(assertion) === null)
    return refuse({ reason: 'assertion_claim_missing', claim: 'jti' })
  return facts.isFirstUse === true ? proof : refuse({ reason: 'assertion_replayed' })
}

function authenticateByCertificate(
  assertion: Assertion,
  client: RegisteredClient,
  tenant: Tenant,
  { signature, keyName }: AssertionFacts,
  { acceptsMcpClients, assertionAudiences, assertionTimes }: AuthenticationRules,
  now: Date,
): Proof | Refused<AuthenticationRefusal> {
  const audiences = assertionAudiences(tenant)
  const { clockToleranceSeconds } = assertionTimes
  const named = { ...assertion, keyName: assertion.keyName ?? keyName ?? null }
  const certificate = findCertificate(
    named,
    signerOf(client),
    audiences,
    now,
    clockToleranceSeconds,
    assertionAlgorithmsFor(acceptsMcpClients),
  )
  if (certificate instanceof Refused) return certificate
  if (signature !== 'valid') {
    const { appId: clientId } = client.application
    return refuse({
      reason: 'assertion_signature_invalid',
      key: certificate.displayedKey,
      clientId,
    })
  }
  const credentialId = certificate.credential.keyId
  return assertionTimeRefusal(assertion, assertionTimes, now) ?? { credentialId }
}

function authenticateByFederatedAssertion(
  directory: Directory,
  assertion: Assertion,
  client: RegisteredClient,
  { signature }: AssertionFacts,
  now: Date,
): Proof | Refused<AuthenticationRefusal> {
  const credential = findFederatedCredential(assertion, client)
  if (credential instanceof Refused) return credential
  if (signature === 'valid' || (signature === 'valid_own' && isAgent(client)))
    return { credentialId: credential.id }
  if (signature === 'valid_own') {
    const presenter = findPresenter(directory, assertion, client)
    return presenter instanceof Refused ? presenter : { credentialId: credential.id, presenter }
  }
  const { issuer, keyName, notBefore, issuedAt, expiresAt } = assertion
  if (signature === 'time_invalid') {
    const validFrom = notBefore ?? issuedAt
    return refuse({ reason: 'assertion_time_invalid', now, validFrom, expiresAt })
  }
  const result =
    signature === undefined || signature === 'invalid' ? 'assertion_invalid' : signature
  return refuse({ reason: `federated_${result}`, issuer, key: displayedKeyOf(keyName ?? '') })
}
