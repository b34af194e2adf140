import type { Directory, Tenant } from '@greeting/directory'
import { Refused } from '../refusals/refusal.ts'
import { isAgent } from './agent-identity.ts'
import { type Assertion, type AssertionTimes, readAssertion } from './assertion.ts'
import {
  assertionAlgorithmsFor,
  findCertificate,
  hasValidSignature,
  keyNamesOf,
  signerOf,
} from './certificate-authentication.ts'
import { findClient, type RegisteredClient } from './client.ts'
import {
  type AssertionFacts,
  type AuthenticationRules,
  authenticateClient,
} from './client-authentication.ts'
import { replayId } from './exchanged-token.ts'
import {
  expectedToken,
  findFederatedCredential,
  isFederated,
  type VerifyFederated,
} from './federated-authentication.ts'
import { findIssuingTenant } from './token-decision.ts'
import type { TokenRequest } from './token-request.ts'

/** Calls a function with the directory, possibly several times. */
type ReadsDirectory = {
  readonly read: <Result>(
    decide: (directory: Directory) => Result,
  ) => Result | Promise<Awaited<Result>>
}

/** The systems from which facts about an assertion come. */
export type FactSources = {
  readonly verifyFederated: VerifyFederated
  /** Records the use of an assertion. Returns whether it is the first one. */
  readonly recordUse: (
    client: RegisteredClient,
    jti: string,
    assertion: Assertion,
  ) => Promise<boolean>
}

/**
 * Collects the facts about the assertion in a token request. This is the part of client
 * authentication that waits for the thread pool, another issuer or the store. It decides nothing.
 * If a rule already refuses the assertion, the facts after this rule stay unknown.
 */
export async function collectAssertionFacts(
  directory: ReadsDirectory,
  request: TokenRequest,
  rules: AuthenticationRules,
  { verifyFederated, recordUse }: FactSources,
  now: Date,
): Promise<AssertionFacts> {
  // 1. A secret and a certificate of TLS are compared with the directory alone.
  if (request.authentication.method !== 'assertion') return {}

  // 2. Find the client. Unknown and public clients cause no verification and no request.
  const assertion = readAssertion(request.authentication.assertion)
  const known = await directory.read((current) => findRequested(current, request, rules))
  if (assertion instanceof Refused || known?.client === undefined) return {}
  const { client, tenant } = known
  if (client.application.isFallbackPublicClient) return {}

  // 3. Verify the signature.
  const signature = await verifySignature(assertion, client, tenant, rules, verifyFederated, now)
  const id = replayId(assertion)
  if (!rules.usesAssertionsOnce || id === null || isAgent(client)) return signature

  // 4. Record the use, if this is the only fact that is missing.
  const ifFirst = { ...signature, isFirstUse: true }
  const authenticated = await directory.read((current) =>
    authenticateClient(current, tenant, request, ifFirst, rules, now),
  )
  if (authenticated instanceof Refused) return signature
  return { ...signature, isFirstUse: await recordUse(client, id, assertion) }
}

/** The tenant and the client of a request; undefined when the tenant issues nothing. */
function findRequested(
  directory: Directory,
  request: TokenRequest,
  { ownIssuers }: AuthenticationRules,
) {
  const tenant = findIssuingTenant(directory, request.tenant)
  if (tenant instanceof Refused) return undefined
  return { tenant, client: findClient(directory, tenant, request.clientId, ownIssuers) }
}

async function verifySignature(
  assertion: Assertion,
  client: RegisteredClient,
  tenant: Tenant,
  { assertionAudiences, assertionTimes, acceptsMcpClients }: AuthenticationRules,
  verifyFederated: VerifyFederated,
  now: Date,
): Promise<Pick<AssertionFacts, 'signature' | 'keyName'>> {
  if (isFederated(assertion)) {
    const credential = findFederatedCredential(assertion, client)
    if (credential instanceof Refused) return {}
    const expected = expectedToken(credential, assertion, client)
    return { signature: await verifyFederated(assertion.token, expected) }
  }
  const audiences = assertionAudiences(tenant)
  const { clockToleranceSeconds } = assertionTimes
  const isNameless = assertion.keyName === null && acceptsMcpClients === true
  let facts: Pick<AssertionFacts, 'signature' | 'keyName'> = {}
  for (const keyName of isNameless ? keyNamesOf(client) : [assertion.keyName]) {
    const named = { ...assertion, keyName }
    const certificate = findCertificate(
      named,
      signerOf(client),
      audiences,
      now,
      clockToleranceSeconds,
      assertionAlgorithmsFor(acceptsMcpClients),
    )
    if (certificate instanceof Refused) continue
    const isValid = await hasValidSignature(assertion, certificate)
    facts = { signature: isValid ? 'valid' : 'invalid', ...(isNameless && keyName && { keyName }) }
    if (isValid) break
  }
  return facts
}

/**
 * True if an assertion may have been used in a history that the store has lost.
 *
 * It was not used if it was made after the store was rolled back, or if every assertion of that time has expired.
 *
 * @param wentBackAt when the store was last rolled back; undefined if it never was
 */
export function mayHaveBeenUsed(
  { issuedAt, notBefore }: Pick<Assertion, 'issuedAt' | 'notBefore'>,
  wentBackAt: Date | undefined,
  { clockToleranceSeconds, maxLifetimeSeconds }: AssertionTimes,
  now: Date,
): boolean {
  if (wentBackAt === undefined) return false
  const toleranceMs = clockToleranceSeconds * 1000
  const maxValidityMs = maxLifetimeSeconds * 1000 + 2 * toleranceMs
  if (now.getTime() > wentBackAt.getTime() + maxValidityMs) return false
  const madeAt = issuedAt ?? notBefore
  return madeAt === null || madeAt.getTime() - toleranceMs <= wentBackAt.getTime()
}
