import type { Directory } from '../directory/directory.ts'
import type { Tenant } from '../directory/tenant.ts'
import { type Assertion, readAssertion } from './assertion.ts'
import { type AssertionTimes, judgeTime } from './assertion-time.ts'
import { judgeCertificateAssertion } from './certificate-authentication.ts'
import { type Client, findClient } from './client.ts'
import {
  isFederated,
  judgeFederatedAssertion,
  type VerifyFederated,
} from './federated-authentication.ts'
import { grantedRoles } from './granted-roles.ts'
import { refuse } from './refusal.ts'
import { findResource, type Resource } from './resource.ts'
import { credentialOf, judgeSecret } from './secret-authentication.ts'
import type { TokenRequest } from './token-request.ts'

/** A token that is to be made: for whom, for which API, with which roles. */
export type TokenGrant = {
  readonly tenant: Tenant
  readonly client: Client
  /** How the client authenticated, and with which of its credentials. */
  readonly method: 'secret' | 'assertion'
  readonly credentialId: string
  readonly resource: Resource
  readonly roles: readonly string[]
}

/** What the decision needs to know beside the directory. */
export type DecisionContext = {
  readonly now: Date
  /** The strings by which an assertion may name this server, for a tenant. */
  readonly assertionAudiences: (tenant: Tenant) => ReadonlySet<string>
  readonly assertionTimes: AssertionTimes
  readonly verifyFederated: VerifyFederated
  /**
   * Takes an assertion as used: false when it was before. Where assertions may be used again until
   * they expire, it is undefined.
   */
  readonly spendAssertion:
    | ((client: Client, jti: string, assertion: Assertion) => Promise<boolean>)
    | undefined
}

/**
 * Decides whether a client gets the token that it asks for.
 *
 * @throws {RefusedError} with the first phase that says no.
 */
export async function decideToken(
  directory: Directory,
  request: TokenRequest,
  context: DecisionContext,
): Promise<TokenGrant> {
  // 1. The tenant.
  const tenant = directory.tenant(request.tenant)
  if (tenant === undefined || !tenant.isEnabled)
    return refuse({ reason: 'tenant_unknown', tenant: request.tenant })

  // 2. The client, and its proof. The costly part is done before an unknown client is told so.
  const { method, credentialId, client } = await authenticate(directory, tenant, request, context)
  if (!client.principal.accountEnabled)
    refuse({
      reason: 'client_disabled',
      clientId: client.application.appId,
      clientName: client.principal.displayName,
    })

  // 3. The API. Only who has authenticated learns which there are.
  const resource = findResource(directory, tenant, request.resource)

  // 4. The roles.
  const roles = grantedRoles(directory, client, resource)

  return { tenant, client, method, credentialId, resource, roles }
}

type Authenticated = Pick<TokenGrant, 'method' | 'credentialId' | 'client'>

async function authenticate(
  directory: Directory,
  tenant: Tenant,
  { clientId, proof }: TokenRequest,
  context: DecisionContext,
): Promise<Authenticated> {
  const known = findClient(directory, tenant, clientId)
  if (proof.method === 'secret') {
    const found = credentialOf(known, proof.secret)
    const client = judgeClient(known, clientId, tenant)
    const { clockToleranceSeconds } = context.assertionTimes
    const { keyId } = judgeSecret(client, found, context.now, clockToleranceSeconds)
    return { method: 'secret', credentialId: keyId, client }
  }
  const assertion = readAssertion(proof.assertion)
  const client = judgeClient(known, clientId, tenant)
  const credentialId = await judgeAssertion(assertion, client, tenant, context)
  return { method: 'assertion', credentialId, client }
}

function judgeClient(known: Client | undefined, clientId: string, tenant: Tenant): Client {
  if (known === undefined)
    return refuse({ reason: 'client_unknown', clientId, tenantName: tenant.displayName })
  if (known.application.isFallbackPublicClient) refuse({ reason: 'client_public' })
  return known
}

async function judgeAssertion(
  assertion: Assertion,
  client: Client,
  tenant: Tenant,
  context: DecisionContext,
): Promise<string> {
  const credentialId = isFederated(assertion)
    ? (await judgeFederatedAssertion(assertion, client, context.verifyFederated)).id
    : (await judgeOwnAssertion(assertion, client, tenant, context)).keyId
  // Last, so that nobody but who holds the key can use an assertion up.
  if (context.spendAssertion === undefined) return credentialId
  const { jti } = assertion
  if (jti === null) return refuse({ reason: 'assertion_claim_missing', claim: 'jti' })
  if (!(await context.spendAssertion(client, jti, assertion)))
    refuse({ reason: 'assertion_replayed' })
  return credentialId
}

async function judgeOwnAssertion(
  assertion: Assertion,
  client: Client,
  tenant: Tenant,
  { assertionAudiences, assertionTimes, now }: DecisionContext,
) {
  const credential = await judgeCertificateAssertion(
    assertion,
    client,
    assertionAudiences(tenant),
    now,
    assertionTimes.clockToleranceSeconds,
  )
  judgeTime(assertion, assertionTimes, now)
  return credential
}
