import type { Context } from 'hono'
import { assertionAudiences } from '../dialect/authority.ts'
import { createCorrelationIds } from '../dialect/correlation-ids.ts'
import { errorEnvelope } from '../dialect/refusals/error-envelope.ts'
import { rowOf } from '../dialect/refusals/refusal-table.ts'
import type { Form } from '../dialect/request/form-body.ts'
import type { TokenEndpointVersion } from '../dialect/request/token-endpoint-versions.ts'
import { readTokenRequest } from '../dialect/request/token-request-form.ts'
import { tokenResponseHeaders } from '../dialect/response-headers.ts'
import { opaqueClaims } from '../dialect/token/opaque-claims.ts'
import { tokenTimes } from '../dialect/token/token-times.ts'
import { tokenVersionOf } from '../dialect/token/token-versions.ts'
import { credentialName } from '../directory/credential-name.ts'
import type { Directory } from '../directory/directory.ts'
import type { Assertion } from '../issuance/assertion.ts'
import { mayHaveBeenUsed } from '../issuance/assertion-replay.ts'
import { decideToken, type TokenGrant } from '../issuance/token-decision.ts'
import type { TokenRequest } from '../issuance/token-request.ts'
import { StorageUnavailableError } from '../storage/storage-unavailable-error.ts'
import { readRequestForm } from './request-form.ts'
import { headerOf } from './request-header.ts'
import type { ServerEnv } from './server-env.ts'
import type { ServiceOptions } from './service-options.ts'
import { answerRefusal } from './token-refusal.ts'

/** Handles the token requests of one version of the endpoint. */
export const tokenEndpoint =
  (version: TokenEndpointVersion, options: ServiceOptions) =>
  async (context: Context<ServerEnv>): Promise<Response> => {
    const { authority, keys, source } = options
    const now = source.now()
    let form: Form | undefined
    let request: TokenRequest | undefined
    let directory: Directory | undefined
    try {
      // 1. The request is a form, once, and small.
      form = await readRequestForm(context)

      // 2. The form is a token request.
      const tenant = context.req.param('tenant') ?? ''
      request = readTokenRequest(version, tenant, form, headerOf(context, 'authorization'))

      // 3. The directory decides.
      directory = await options.directory.read()
      const grant = await decideToken(directory, request, decisionContext(options, now))

      // 4. The token is written, in the version that the API asks for, and signed.
      const times = tokenTimes(options.lifetime, now, randomFraction(options.randomBytes))
      const { header, claims } = tokenVersionOf(grant)
      const opaque = opaqueClaims(options.randomBytes)
      const token = await keys.sign(claims(grant, { authority, times, opaque }), header)

      // 5. It is noted, and goes out.
      const trace = createCorrelationIds(clientRequestIds(context, form), now, source.newGuid)
      noteIssuance(options, grant, now, trace.correlationId)
      const envelope = version.envelope(token, times, grant.resource.requestedAs)
      return new Response(JSON.stringify(envelope), {
        headers: tokenResponseHeaders(trace, wantsEcho(context)),
      })
    } catch (cause) {
      const trace = createCorrelationIds(clientRequestIds(context, form), now, source.newGuid)
      const tenantId = (request && directory?.tenant(request.tenant)?.id) ?? null
      const echoes = wantsEcho(context)
      return answerRefusal(cause, { context, options, request, tenantId, trace, echoes })
    }
  }

/** Answers every other method on a token endpoint. */
export const methodRefusal =
  (options: ServiceOptions) =>
  (context: Context<ServerEnv>): Response => {
    const allow = { allow: 'POST, OPTIONS' }
    if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: allow })
    const { source, authority } = options
    const trace = createCorrelationIds(
      clientRequestIds(context, undefined),
      source.now(),
      source.newGuid,
    )
    const refusal = { reason: 'method_not_allowed', method: context.req.method } as const
    return new Response(JSON.stringify(errorEnvelope(refusal, trace, authority.authUrl)), {
      status: rowOf(refusal).status,
      headers: { ...tokenResponseHeaders(trace, wantsEcho(context)), ...allow },
    })
  }

const decisionContext = (options: ServiceOptions, now: Date) => ({
  now,
  assertionAudiences: (tenant: TokenGrant['tenant']) =>
    assertionAudiences(options.authority, tenant),
  assertionTimes: options.assertionTimes,
  verifyFederated: options.verifyFederated,
  spendAssertion: options.assertions && spendWith(options.assertions, options, now),
})

const spendWith =
  (
    assertions: NonNullable<ServiceOptions['assertions']>,
    { assertionTimes, storeWentBackAt }: ServiceOptions,
    now: Date,
  ) =>
  async (
    { application }: TokenGrant['client'],
    jti: string,
    assertion: Assertion,
  ): Promise<boolean> => {
    if (mayHaveBeenUsed(assertion, storeWentBackAt?.(), assertionTimes, now))
      throw new StorageUnavailableError(
        'The store went back: it cannot say whether the assertion was used.',
      )
    // Remembered for as long as a clock that is late would still take it.
    const toleranceMs = assertionTimes.clockToleranceSeconds * 1000
    const until = new Date(assertion.expiresAt.getTime() + toleranceMs)
    return assertions.spend(application.appId, jti, until)
  }

function noteIssuance(
  { audit, noteUse, log }: ServiceOptions,
  { client, credentialId, resource, tenant }: TokenGrant,
  at: Date,
  correlationId: string,
): void {
  const actor = client.application.appId
  noteUse(credentialName(client.application, credentialId), at)
  audit(
    {
      at,
      tenantId: tenant.id,
      actor,
      action: 'token.issue',
      target: resource.application.appId,
      outcome: 'done',
      reason: null,
      correlationId,
    },
    'signIns',
  )
  log.debug({ clientId: actor, resource: resource.requestedAs, correlationId }, 'token issued')
}

const clientRequestIds = (context: Context<ServerEnv>, form: Form | undefined) => [
  headerOf(context, 'client-request-id'),
  form?.get('client-request-id'),
  context.req.query('client-request-id'),
]

const wantsEcho = (context: Context<ServerEnv>) =>
  headerOf(context, 'return-client-request-id')?.toLowerCase() === 'true'

const randomFraction = (randomBytes: ServiceOptions['randomBytes']) =>
  new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0) / 2 ** 32
