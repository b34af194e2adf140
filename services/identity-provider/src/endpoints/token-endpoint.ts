// Folder: Routes pass requests to the decision.

import {
  credentialName,
  graphAppId,
  isGuid,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import { headerOf, type ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { assertionAudiences } from '../dialect/authority.ts'
import { type CorrelationIds, createCorrelationIds } from '../dialect/correlation-ids.ts'
import { clientIdOf } from '../dialect/request/client-authentication.ts'
import type { Form } from '../dialect/request/form-body.ts'
import type { TokenEndpointVersion } from '../dialect/request/token-endpoint-versions.ts'
import { readTokenRequest } from '../dialect/request/token-request-form.ts'
import { type HeaderRequest, tokenResponseHeaders } from '../dialect/response-headers.ts'
import { createOpaqueClaims } from '../dialect/token/opaque-claims.ts'
import { lifetimeOf, tokenTimes } from '../dialect/token/token-times.ts'
import { tokenVersionOf } from '../dialect/token/token-versions.ts'
import type { Assertion } from '../issuance/assertion.ts'
import {
  collectAssertionFacts,
  type FactSources,
  mayHaveBeenUsed,
} from '../issuance/assertion-facts.ts'
import type { AuthenticationRules } from '../issuance/client-authentication.ts'
import { decideToken, type TokenDecision } from '../issuance/token-decision.ts'
import type { TokenRequest } from '../issuance/token-request.ts'
import { type Refusal, Refused } from '../refusals/refusal.ts'
import { clientThumbprint } from './client-thumbprint.ts'
import { readRequestForm } from './request-form.ts'
import type { ServiceOptions } from './service-options.ts'
import { requestObservation } from './token-observation.ts'
import { answerRefusal, refusalOfError } from './token-refusal.ts'

/** Handles the token requests of one version of the endpoint. */
export const tokenEndpoint = (version: TokenEndpointVersion, options: ServiceOptions) => {
  const aliases = new Map([
    ...options.origins.map((origin) => [origin, graphAppId] as const),
    [tokenExchangeUri.toLowerCase(), tokenExchangeAppId],
  ])
  return async (context: Context<ServerEnv>): Promise<Response> => {
    const { authority, keys, source } = options
    const now = source.now()
    const rules = authenticationRules(options)
    let form: Form | undefined
    let request: TokenRequest | undefined
    let tenantId: string | null = null
    let blueprintId: string | null = null
    const createIds = () =>
      createCorrelationIds(clientRequestIds(context, form), now, source.newGuid)
    const refuseWith = (refusal: Refusal, cause?: unknown) => {
      const headers = headerRequest(context, form, createIds())
      const clientId = request?.clientId ?? clientIdOf(form, headerOf(context, 'authorization'))
      const known = { request, clientId, tenantId, blueprintId }
      return answerRefusal(refusal, { context, options, ...known, headers, cause })
    }
    try {
      // 1. Read the form.
      const formOrRefusal = await readRequestForm(context)
      if (formOrRefusal instanceof Refused) return refuseWith(formOrRefusal.refusal)
      form = formOrRefusal

      // 2. Read the token request.
      const tenant = context.req.param('tenant') ?? ''
      const authorization = headerOf(context, 'authorization')
      const requestOrRefusal = readTokenRequest(
        version,
        tenant,
        form,
        authorization,
        clientThumbprint(context.env?.incoming, options),
        options.acceptsMcpClients,
      )
      if (requestOrRefusal instanceof Refused) return refuseWith(requestOrRefusal.refusal)
      request = requestOrRefusal

      // 3. Collect the facts: everything that has to be waited for.
      const sources = factSources(options, now)
      const assertion = await collectAssertionFacts(options.directory, request, rules, sources, now)

      // 4. Decide.
      const facts = { rules, assertion, aliases }
      const decided = await options.directory.read((directory) => {
        const tenantId = directory.tenant(requestOrRefusal.tenant)?.id ?? null
        const { clientId } = requestOrRefusal
        return {
          tenantId,
          decision: decideToken(directory, requestOrRefusal, facts, now),
          blueprintId:
            tenantId !== null && isGuid(clientId)
              ? directory.servicePrincipalByAppId(tenantId, clientId)?.agentIdentityBlueprintId
              : null,
        }
      })
      tenantId = decided.tenantId
      blueprintId = decided.blueprintId ?? null
      const { decision } = decided
      if (decision instanceof Refused) return refuseWith(decision.refusal)

      // 5. Make the token, in the version of the API, and sign it.
      const random = randomFraction(options.randomBytes)
      const times = tokenTimes(lifetimeOf(decision, options.lifetime), now, random)
      const { keyMembers, claims } = tokenVersionOf(decision)
      const opaque = createOpaqueClaims(options.randomBytes, decision)
      const token = await keys.sign(claims(decision, { authority, times, opaque }), keyMembers)

      // 6. Record the token and answer.
      const ids = createIds()
      recordToken(options, decision, now, ids.correlationId)
      options.observeToken?.({
        ...requestObservation(request),
        tenantId: decision.tenant.id,
        outcome: 'issued',
        reason: '',
        isThrottled: false,
        correlationId: ids.correlationId,
      })
      const envelope = JSON.stringify(version.envelope('', times, decision.resource.requestedAs))
      // A token has no character that JSON escapes. A long one is not searched for them.
      const body = envelope.replace('"access_token":""', `"access_token":"${token}"`)
      return new Response(body, {
        headers: tokenResponseHeaders(headerRequest(context, form, ids)),
      })
    } catch (cause) {
      return refuseWith(refusalOfError(cause), cause)
    }
  }
}

/** Responds to other methods on a token endpoint. */
export const methodRefusal =
  (options: ServiceOptions) =>
  (context: Context<ServerEnv>): Response => {
    const allow = { allow: 'POST, OPTIONS' }
    if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: allow })
    const { now, newGuid } = options.source
    const ids = createCorrelationIds(clientRequestIds(context, undefined), now(), newGuid)
    const refusal = { reason: 'method_not_allowed', method: context.req.method } as const
    const headers = headerRequest(context, undefined, ids)
    const response = answerRefusal(refusal, { context, options, headers })
    response.headers.set('allow', allow.allow)
    return response
  }

const authenticationRules = (options: ServiceOptions): AuthenticationRules => ({
  assertionTimes: options.assertionTimes,
  acceptsLabSecrets: options.acceptsLabSecrets,
  acceptsMcpClients: options.acceptsMcpClients,
  assertionAudiences: (tenant) => assertionAudiences(options.authority, tenant),
  ownIssuers: options.ownIssuers,
  usesAssertionsOnce: options.assertions !== undefined,
})

const factSources = (options: ServiceOptions, now: Date): FactSources => ({
  verifyFederated: options.verifyFederated,
  recordUse: ({ application }, jti, assertion) =>
    recordUse(options, application.appId, jti, assertion, now),
})

/** Records the use of an assertion until it expires. Returns true if it is the first use. */
export async function recordUse(
  options: Pick<ServiceOptions, 'assertions' | 'assertionTimes' | 'storeWentBackAt'>,
  signerId: string,
  id: string,
  assertion: Assertion,
  now: Date,
): Promise<boolean> {
  const { assertions, assertionTimes, storeWentBackAt } = options
  if (mayHaveBeenUsed(assertion, storeWentBackAt?.(), assertionTimes, now))
    throw new StorageUnavailableError(
      'The store was rolled back or the clock was set back, so the assertion may have been used',
    )
  // Kept as long as a server with a late clock accepts the assertion.
  const toleranceMs = assertionTimes.clockToleranceSeconds * 1000
  const until = new Date(assertion.expiresAt.getTime() + toleranceMs)
  return (await assertions?.spend(signerId, id, until)) ?? false
}

function recordToken(
  { audit, noteUse, log }: ServiceOptions,
  { agent, client, credentialId, resource, tenant }: TokenDecision,
  at: Date,
  correlationId: string,
): void {
  const actor = client.application.appId
  const blueprintId = client.principal.agentIdentityBlueprintId
  noteUse(credentialName(client.application, credentialId), at)
  audit(
    {
      at,
      tenantId: tenant.id,
      actor,
      ...(blueprintId !== null && { blueprintId }),
      action: 'token.issue',
      // The token of a blueprint is for one agent.
      target: agent?.appId ?? resource.application.appId,
      outcome: 'done',
      reason: null,
      correlationId,
    },
    'signIns',
  )
  const agents = { blueprintId: blueprintId ?? undefined, agentId: agent?.appId }
  const fields = { clientId: actor, ...agents, resource: resource.requestedAs, correlationId }
  log.debug(fields, 'token issued')
}

const clientRequestIds = (context: Context<ServerEnv>, form: Form | undefined) => [
  headerOf(context, 'client-request-id'),
  form?.get('client-request-id'),
  context.req.query('client-request-id'),
]

/** The client gets telemetry back only when it sent some. Entra repeats an ID of the header only. */
const headerRequest = (
  context: Context<ServerEnv>,
  form: Form | undefined,
  ids: CorrelationIds,
): HeaderRequest & { readonly hasTelemetry: boolean } => ({
  ids,
  echoesClientRequestId: headerOf(context, 'client-request-id') === ids.correlationId,
  hasTelemetry: telemetry.some(
    (name) => headerOf(context, name) !== undefined || form?.has(name) === true,
  ),
})

const telemetry = ['x-client-current-telemetry', 'x-client-last-telemetry']

const randomFraction = (randomBytes: ServiceOptions['randomBytes']) =>
  new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0) / 2 ** 32
