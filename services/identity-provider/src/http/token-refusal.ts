import type { Context } from 'hono'
import type { CorrelationIds } from '../dialect/correlation-ids.ts'
import { type ErrorEnvelope, errorEnvelope } from '../dialect/refusals/error-envelope.ts'
import { rowOf } from '../dialect/refusals/refusal-table.ts'
import type { Refusal } from '../dialect/refusals/request-refusal.ts'
import { tokenResponseHeaders } from '../dialect/response-headers.ts'
import { RefusedError } from '../issuance/refusal.ts'
import type { TokenRequest } from '../issuance/token-request.ts'
import { SigningError } from '../signing/signing-error.ts'
import { StorageUnavailableError } from '../storage/storage-unavailable-error.ts'
import { headerOf } from './request-header.ts'
import type { ServerEnv } from './server-env.ts'
import type { ServiceOptions } from './service-options.ts'
import { sourceAddress } from './source-address.ts'

/** What is known when a token request ends badly. */
export type RefusalContext = {
  readonly context: Context<ServerEnv>
  readonly options: ServiceOptions
  readonly request: TokenRequest | undefined
  readonly tenantId: string | null
  readonly trace: CorrelationIds
  readonly echoes: boolean
}

/** Refusals after which somebody may be guessing at the credentials of a client. */
const wrongGuesses: ReadonlySet<Refusal['reason']> = new Set([
  'client_unknown',
  'secret_wrong',
  'assertion_key_unknown',
  'assertion_signature_invalid',
  'federated_assertion_invalid',
])

/** Refusals of a client that has authenticated: they are recorded one by one. */
const afterAuthentication: ReadonlySet<Refusal['reason']> = new Set([
  'client_disabled',
  'resource_unknown',
  'resource_disabled',
  'role_required',
])

/** Faults of the server: the answer says so however often somebody asks. */
const serverFaults: ReadonlySet<Refusal['reason']> = new Set([
  'unavailable',
  'internal',
  'federated_issuer_unreachable',
])

const retryAfterSeconds = 1

/** Answers a token request that failed: the one gate through which failures leave. */
export function answerRefusal(cause: unknown, refused: RefusalContext): Response {
  const { context, options, trace, echoes } = refused
  const refusal = refusalOf(cause)
  const waitSeconds = countRefusal(refusal, refused)
  const isTold = waitSeconds === undefined || serverFaults.has(refusal.reason)
  const told: Refusal = isTold ? refusal : { reason: 'throttled' }
  if (waitSeconds === undefined) note(cause, refusal, refused)

  const { status } = rowOf(told)
  const envelope = errorEnvelope(told, trace, options.authority.authUrl)
  const retryAfter = waitSeconds ?? (status === 503 ? retryAfterSeconds : undefined)
  return new Response(JSON.stringify(envelope), {
    status,
    headers: {
      ...tokenResponseHeaders(trace, echoes),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      // RFC 6749 §5.2: only who used the header is asked for it again.
      ...(status === 401 &&
        headerOf(context, 'authorization') !== undefined && {
          'www-authenticate': basicChallenge(envelope),
        }),
    },
  })
}

// Clients that see a challenge may show nothing but it (openid-client does): it carries the refusal too.
const basicChallenge = ({ error, error_description }: ErrorEnvelope): string =>
  `Basic realm="token endpoint", charset="UTF-8", error="${error}", error_description="${error_description}"`

function refusalOf(cause: unknown): Refusal {
  if (cause instanceof RefusedError) return cause.refusal
  if (isOfTheStore(cause)) return { reason: 'unavailable' }
  return { reason: 'internal' }
}

const isOfTheStore = (cause: unknown): boolean =>
  cause instanceof StorageUnavailableError ||
  (cause instanceof SigningError && cause.code === 'key_ring_unavailable')

/** @returns The seconds to wait when the source is beyond its limit; else undefined. */
function countRefusal(
  { reason }: Refusal,
  { context, options, request }: RefusalContext,
): number | undefined {
  if (afterAuthentication.has(reason)) return undefined
  const source = sourceAddress(context.env?.incoming, options.trustedProxies)
  return options.throttle.count(wrongGuesses.has(reason) ? request?.clientId : undefined, source)
}

function note(
  cause: unknown,
  refusal: Refusal,
  { options, request, tenantId, trace }: RefusalContext,
): void {
  const { traceId, correlationId, at } = trace
  const clientId = request?.clientId
  const fields = { reason: refusal.reason, clientId, traceId, correlationId }
  if (refusal.reason === 'internal')
    options.log.error({ ...fields, err: cause }, 'a token request failed')
  else if (refusal.reason === 'unavailable')
    options.log.warn({ ...fields, err: cause }, 'the storage did not answer')
  // Anybody can cut connections, and clients do so when they are stopped.
  else if (refusal.reason === 'body_incomplete') options.log.debug(fields, 'token request cut')
  else options.log.info(fields, 'token refused')
  if (clientId === undefined) return
  options.audit(
    {
      at,
      tenantId,
      actor: clientId,
      action: 'token.issue',
      target: null,
      outcome: 'refused',
      reason: refusal.reason,
      correlationId,
    },
    afterAuthentication.has(refusal.reason) ? 'signIns' : 'strangers',
  )
}
