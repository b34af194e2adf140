import { setTimeout as wait } from 'node:timers/promises'
import { boundaryOf, type Fetch, readBody, readParts } from '@greeting/http-service'
import type { HttpBindings } from '@hono/node-server'
import { type Endpoint, endpointOf, type FaultContext } from './faults/fault-context.ts'
import { runHeader } from './faults/fault-spec.ts'
import type { Faults } from './faults/faults.ts'
import type { Forge } from './forge/forge.ts'
import type { LabListener } from './lab-host.ts'
import {
  bearerExpiry,
  claimedClient,
  shownForm,
  shownHeadersOf,
  tokenExpiry,
} from './requests/redaction.ts'
import type { RequestLog } from './requests/request-log.ts'

export type LabHandlerOptions = {
  readonly now: () => Date
  readonly faults: Faults
  readonly requests: RequestLog
  readonly forge: Forge
  readonly activeKeyId: () => string
  /** Ends the pauses of faults. */
  readonly signal: () => AbortSignal
  /** Monotonic clock in milliseconds. */
  readonly monotonicNowMs: () => number
  readonly random: () => number
}

const maxFormBytes = 64 * 1024
/** The token endpoint refuses more than half of them. */
const maxFormPairs = 100
const maxAnswerBytes = 64 * 1024
/** The member of a discovery document that shows a lab. */
const banner = {
  greeting_lab: 'This server makes forged tokens and faults. Never use it in production.',
}
/** The status inside the lab for a connection that was reset. */
const resetStatus = 499

/** Creates the request handler of a listener: it breaks responses, and records the requests to the endpoints. */
export function labHandler(
  { app, refuse }: Pick<LabListener, 'app' | 'refuse'>,
  options: LabHandlerOptions,
): Fetch {
  return async (request, bindings) => {
    const { pathname, searchParams: query } = new URL(request.url)
    const endpoint = endpointOf(request.method, pathname)
    if (endpoint === undefined) return app.fetch(request, bindings)
    const { faults, requests } = options
    const { headers, method } = request
    const startedMs = options.monotonicNowMs()
    const at = options.now()
    // 1. Who asks
    const form = endpoint === 'token' ? await readForm(request.clone()) : new URLSearchParams()
    const { clientId, place } = claimedClient(form, query, headers)
    const runId = headers.get(runHeader)?.slice(0, 64)
    // 2. The answer, broken or not
    const fault = faults.take({ endpoint, clientId, runId })
    const answer = async () => {
      const response = await app.fetch(request, bindings)
      return endpoint === 'discovery' ? withBanner(response) : response
    }
    const context: FaultContext = {
      ...faultContext(endpoint, request, clientId, bindings, options),
      answer,
      refuse: (refusal) => refuse(refusal, request),
    }
    const response = fault === undefined ? await answer() : await fault.apply(context)
    // 3. The record
    requests.add({
      at,
      endpoint,
      method,
      path: pathname.slice(0, 256),
      queryNames: [...query.keys()].slice(0, 32).map((name) => name.slice(0, 64)),
      headers: shownHeadersOf(headers),
      form: shownForm(form),
      clientId,
      runId,
      credentialPlace: place,
      bearerExpiresAt: bearerExpiry(headers),
      fault: fault?.armed.fault,
      startedMs,
      endedMs: options.monotonicNowMs(),
      ...(await outcomeOf(endpoint, response)),
    })
    return response
  }
}

async function readForm(request: Request): Promise<URLSearchParams> {
  try {
    const body = await readBody(request, maxFormBytes)
    const boundary = boundaryOf(request.headers.get('content-type') ?? '')
    if (boundary !== undefined) {
      const parts = await readParts(body, boundary, maxFormPairs)
      const texts = typeof parts === 'string' ? [] : parts
      return new URLSearchParams(texts.map(([name, value]) => [name, String(value)]))
    }
    const text = new TextDecoder().decode(body)
    return new URLSearchParams(text.split('&', maxFormPairs).join('&'))
  } catch {
    // The app refuses the request itself.
    return new URLSearchParams()
  }
}

function faultContext(
  endpoint: Endpoint,
  request: Request,
  clientId: string | undefined,
  bindings: object | undefined,
  { forge, activeKeyId, signal, random }: LabHandlerOptions,
): Omit<FaultContext, 'answer' | 'refuse'> {
  return {
    endpoint,
    request,
    clientId,
    bindings: bindings as Partial<HttpBindings> | undefined,
    random,
    activeKeyId,
    sleep: (delayMs) =>
      wait(delayMs, undefined, { ref: false, signal: signal() }).catch(() => undefined),
    signAgain: (token, change, key) => forge.signAgain(token, change, key),
  }
}

async function withBanner(response: Response): Promise<Response> {
  if (!response.ok) return response
  const document = (await response.json()) as object
  const { status, headers } = response
  return new Response(JSON.stringify({ ...document, ...banner }), { status, headers })
}

/** The parts of an answer to record. A token is not one of them. */
async function outcomeOf(endpoint: Endpoint, response: Response) {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const outcome = {
    status: response.status === resetStatus ? 0 : response.status,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  }
  const unknown = { error: undefined, errorCodes: [], tokenExpiresAt: undefined }
  if (endpoint !== 'token' || !isSmallJson(response)) return { ...outcome, ...unknown }
  try {
    const body = await response.clone().json()
    return {
      ...outcome,
      error: typeof body.error === 'string' ? body.error : undefined,
      errorCodes: Array.isArray(body.error_codes) ? body.error_codes : [],
      tokenExpiresAt:
        typeof body.access_token === 'string' ? tokenExpiry(body.access_token) : undefined,
    }
  } catch {
    return { ...outcome, ...unknown }
  }
}

/** A body that a fault sends slowly or cuts is not read. */
const isSmallJson = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/json') &&
  Number(headers.get('content-length') ?? 0) <= maxAnswerBytes
