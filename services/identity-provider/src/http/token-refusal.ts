import { StorageUnavailableError } from '@greeting/directory/live'
import { headerOf, type ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { type ErrorEnvelope, errorAnswer } from '../dialect/refusals/error-envelope.ts'
import type { Refusal } from '../dialect/refusals/refusal.ts'
import { type HeaderRequest, tokenResponseHeaders } from '../dialect/response-headers.ts'
import type { TokenRequest } from '../issuance/token-request.ts'
import { SigningError } from '../signing/signing-error.ts'
import type { ServiceOptions } from './service-options.ts'
import { sourceAddress } from './source-address.ts'
import { requestObservation } from './token-observation.ts'

/** The known parts of a token request that is refused. */
export type RefusalContext = {
  readonly context: Context<ServerEnv>
  readonly options: ServiceOptions
  readonly request: TokenRequest | undefined
  readonly tenantId: string | null
  /** The blueprint of the client, if it is an agent. */
  readonly blueprintId: string | null
  readonly headers: HeaderRequest & { readonly hasTelemetry: boolean }
  /** The error behind the refusal, for the log; undefined when there was none. */
  readonly cause: unknown
}

/** Refusals after which an attacker may be guessing the credentials of a client. */
const wrongGuesses: ReadonlySet<Refusal['reason']> = new Set([
  'client_unknown',
  'secret_wrong',
  'assertion_key_unknown',
  'assertion_signature_invalid',
  'federated_assertion_invalid',
])

/** Refusals of a client that has authenticated. Each of them is recorded. */
const afterAuthentication: ReadonlySet<Refusal['reason']> = new Set([
  'service_principal_missing',
  'client_disabled',
  'agent_path_missing',
  'agent_path_unexpected',
  'agent_resource_not_permitted',
  'resource_unknown',
  'resource_disabled',
  'mapped_claims_not_accepted',
  'resource_parameter_differs',
  'role_required',
])

/** Faults of the server. The rate limit does not replace their answer. */
const serverFaults: ReadonlySet<Refusal['reason']> = new Set([
  'unavailable',
  'internal',
  'federated_issuer_unreachable',
])

const retryAfterSeconds = 1

/** The refusal for an error that was thrown while a token request was handled. */
export function refusalOfError(cause: unknown): Refusal {
  const isStorageFault =
    cause instanceof StorageUnavailableError ||
    (cause instanceof SigningError && cause.code === 'key_ring_unavailable')
  return { reason: isStorageFault ? 'unavailable' : 'internal' }
}

/** Answers a refused token request. Every refusal of the endpoint leaves through this function. */
export function answerRefusal(refusal: Refusal, refused: RefusalContext): Response {
  const { context, options, headers } = refused
  const waitSeconds = countRefusal(refusal, refused)
  const isAnswered = waitSeconds === undefined || serverFaults.has(refusal.reason)
  if (waitSeconds === undefined) recordRefusal(refusal, refused)
  options.observeToken?.({
    ...requestObservation(refused.request),
    tenantId: refused.tenantId,
    outcome: serverFaults.has(refusal.reason) ? 'failed' : 'refused',
    reason: refusal.reason,
    isThrottled: !isAnswered,
    correlationId: headers.ids.correlationId,
  })

  const answered: Refusal = isAnswered ? refusal : { reason: 'throttled' }
  const { status, body } = errorAnswer(answered, headers.ids, options.authority.authUrl)
  const retryAfter = waitSeconds ?? (status === 503 ? retryAfterSeconds : undefined)
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...tokenResponseHeaders(headers, body.error_codes[0]),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      // RFC 6749 section 5.2: the challenge is only for a client that sent the header.
      ...(status === 401 &&
        headerOf(context, 'authorization') !== undefined && {
          'www-authenticate': basicChallenge(body),
        }),
    },
  })
}

// Some clients, such as openid-client, show only the challenge, so it contains the refusal too.
const basicChallenge = ({ error, error_description }: ErrorEnvelope): string =>
  `Basic realm="token endpoint", charset="UTF-8", error="${error}", error_description="${error_description}"`

/** @returns the seconds to wait when the source is beyond its limit; else undefined */
function countRefusal(
  { reason }: Refusal,
  { context, options, request }: RefusalContext,
): number | undefined {
  if (afterAuthentication.has(reason)) return undefined
  const source = sourceAddress(context.env?.incoming, options.trustedProxies)
  return options.throttle.count(wrongGuesses.has(reason) ? request?.clientId : undefined, source)
}

function recordRefusal(
  refusal: Refusal,
  { options, request, tenantId, blueprintId, headers, cause }: RefusalContext,
): void {
  const { traceId, correlationId, at } = headers.ids
  const clientId = request?.clientId
  const agentId = request?.fmiPath
  const agents = { blueprintId: blueprintId ?? undefined, agentId }
  const fields = { reason: refusal.reason, clientId, ...agents, traceId, correlationId }
  if (refusal.reason === 'internal') {
    options.log.error({ ...fields, err: cause }, 'token request failed')
  } else if (refusal.reason === 'unavailable') {
    options.log.warn({ ...fields, err: cause }, 'the store did not respond')
  } else if (refusal.reason === 'body_incomplete') {
    // Any client can close a connection, and clients do so when they stop.
    options.log.debug(fields, 'token request incomplete')
  } else {
    options.log.info(fields, 'token refused')
  }
  if (clientId === undefined) return
  options.audit(
    {
      at,
      tenantId,
      actor: clientId,
      ...(blueprintId !== null && { blueprintId }),
      action: 'token.issue',
      target: agentId ?? null,
      outcome: 'refused',
      reason: refusal.reason,
      correlationId,
    },
    afterAuthentication.has(refusal.reason) ? 'signIns' : 'unauthenticated',
  )
}
