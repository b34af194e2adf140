import { StorageUnavailableError } from '@greeting/directory/live'
import { headerOf, type ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { type ErrorEnvelope, errorAnswer } from '../dialect/error-envelope.ts'
import { type HeaderRequest, tokenResponseHeaders } from '../dialect/response-headers.ts'
import type { TokenRequest } from '../issuance/token-request.ts'
import type { Refusal } from '../refusals/refusal.ts'
import { refusalTable } from '../refusals/refusal-table.ts'
import { SigningError } from '../signing/signing-error.ts'
import type { ServiceOptions } from './service-options.ts'
import { sourceAddress } from './source-address.ts'
import { requestObservation } from './token-observation.ts'

/** What is known about a token request that is refused. */
export type RefusalContext = {
  readonly context: Context<ServerEnv>
  readonly options: ServiceOptions
  /** The request; undefined when it could not be read. */
  readonly request?: TokenRequest | undefined
  /** The client that the request names; undefined when it names none. */
  readonly clientId?: string | undefined
  readonly tenantId?: string | null
  /** The blueprint of the client, if it is an agent. */
  readonly blueprintId?: string | null
  readonly headers: HeaderRequest & { readonly hasTelemetry: boolean }
  /** The error behind the refusal, for the log; undefined when there was none. */
  readonly cause?: unknown
}

const retryAfterSeconds = 1

/** The refusal for an error that was thrown while a token request was handled. */
export function refusalOfError(cause: unknown): Refusal {
  const isStorageFault =
    cause instanceof StorageUnavailableError ||
    (cause instanceof SigningError && cause.code === 'key_ring_unavailable')
  return { reason: isStorageFault ? 'unavailable' : 'internal' }
}

/** Responds to a refused token request. Every refusal of the endpoint passes through this function. */
export function answerRefusal(refusal: Refusal, refused: RefusalContext): Response {
  const { context, options, request, clientId, headers } = refused
  const source = sourceAddress(context.env?.incoming, options.trustedProxies)
  const row = refusalTable[refusal.reason]
  const guessed = row.isGuess ? clientId : undefined
  const waitSeconds = row.phase === 'access' ? undefined : options.throttle.count(guessed, source)
  const isServerFault = row.status >= 500 || row.isOutage
  const isAnswered = waitSeconds === undefined || isServerFault
  if (waitSeconds === undefined) recordRefusal(refusal, refused, source)
  options.observeToken?.({
    ...requestObservation(request),
    clientId,
    tenantId: refused.tenantId ?? null,
    outcome: isServerFault ? 'failed' : 'refused',
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

function recordRefusal(
  refusal: Refusal,
  { options, request, clientId, tenantId, blueprintId, headers, cause }: RefusalContext,
  source: string,
): void {
  const { traceId, correlationId, at } = headers.ids
  const agentId = request?.fmiPath
  const agents = { blueprintId: blueprintId ?? undefined, agentId }
  const fields = { reason: refusal.reason, clientId, ...agents, traceId, correlationId }
  if (refusal.reason === 'internal') {
    options.log.error({ ...fields, err: cause }, 'token request failed')
  } else if (refusal.reason === 'unavailable') {
    options.log.warn({ ...fields, err: cause }, 'the store did not respond')
  } else if (refusal.reason === 'body_incomplete') {
    // Any client can close a connection, and clients do so when they stop. None of them reads the answer.
    options.log.debug(fields, 'token request incomplete')
    return
  } else {
    options.log.info(fields, 'token refused')
  }
  options.audit(
    {
      at,
      tenantId: tenantId ?? null,
      actor: clientId ?? (source || 'unknown'),
      ...(blueprintId != null && { blueprintId }),
      action: 'token.issue',
      target: agentId ?? null,
      outcome: 'refused',
      reason: refusal.reason,
      correlationId,
    },
    refusalTable[refusal.reason].phase === 'access' ? 'signIns' : 'unauthenticated',
  )
}
