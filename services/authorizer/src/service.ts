// Folder: The guard as a program, for proxies before APIs in any language. It knows no API.

import type { IncomingMessage } from 'node:http'
import { createGuard, entra, type Runtime } from '@greeting/guard'
import {
  errorAnswer,
  errorResponse,
  type Fetch,
  listen,
  metricsFetch,
  observeRequests,
  openMetricsListener,
  type ProcessContext,
  type StopOptions,
  TrustedProxies,
} from '@greeting/http-service'
import { annotateDecision, guardOptions, logGuardEvents } from '@greeting/http-service/guarded'
import type { Logger } from 'pino'
import { Authorizer, questionAt, type RefusalReason } from './authorizer.ts'
import { authorizePath, type ProxyName } from './original-request.ts'
import { RulesInForce, readRules } from './rules-in-force.ts'
import type { Settings } from './settings.ts'

export type Service = {
  readonly url: string
  readonly metricsUrl: string | undefined
  /** Reads the rules again. Resolves when they are in force, or when the old ones stay so. */
  readonly reload: () => Promise<void>
  readonly stop: (options?: Pick<StopOptions, 'graceMs'>) => Promise<void>
}

/** The parts of a service that a process or a test provides. */
export type ServiceParts = ProcessContext & {
  readonly runtime?: Partial<Runtime>
  /** How often the rules file is looked at, and keys are awaited, in milliseconds; default 1000. */
  readonly watchMs?: number
}

/** A guard must have a role. No role of Entra contains a space. */
const noRole = 'no role'

/** Warnings about peers, one for each address: a flood of requests must not flood the log. */
const maxNamedPeers = 100

const notFound = errorAnswer(404, 'not_found', 'A proxy must ask at the path of its reference')
const uncachedJson = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/**
 * Starts the authorizer: reads the rules, answers the questions of a proxy, and begins to fetch the keys.
 *
 * @throws {RulesFileError} rules_file_invalid with all faults of the rules
 * @throws {Error} with Node's `code` when the file cannot be read, or a listener cannot be opened
 */
export async function startService(
  settings: Settings,
  log: Logger,
  { tracing, runtime, watchMs = 1000 }: ServiceParts = {},
): Promise<Service> {
  // 1. Listeners, after the rules: a faulty file opens none
  const file = settings.RULES_FILE
  const firstRules = await readRules(file)
  const listener = await listen(settings.HOST, settings.PORT, {
    keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000,
    reusePort: settings.REUSE_PORT,
  })
  const metricsListener = await openMetricsListener(settings).catch(async (cause) => {
    await listener.stop()
    throw cause
  })

  // 2. Guard, metrics and log
  const metrics = metricsListener && (await import('./authorizer-metrics.ts')).createMetrics()
  const logEvent = logGuardEvents(log)
  const guardFor = (roles: readonly string[]) =>
    createGuard(
      entra({
        ...guardOptions(settings),
        roles: roles.length === 0 ? [noRole] : roles,
        listener: (event) => {
          metrics?.guard.listener(event)
          logEvent(event)
          if (tracing !== undefined) annotateDecision(tracing, event)
        },
      }),
      runtime ?? { fetch: tracing?.traceFetch(globalThis.fetch) ?? globalThis.fetch },
    )
  const onReload = (result: 'success' | 'failure') => metrics?.countReload(result)
  const inForce = new RulesInForce({ file, guardFor, log, onReload, watchMs }, firstRules)
  const guard = () => inForce.current.guard
  if (metrics !== undefined) {
    metrics.guard.watch({
      keySets: () => guard().keySets(),
      cachedTokens: () => guard().cachedTokens(),
    })
    metrics.watchRules(() => inForce.current.rules.set.rules.length)
    const { registry } = metrics.guard
    metricsListener?.answerWith(metricsFetch(() => registry.metrics()))
  }

  // 3. Requests
  let isStopping = false
  const authorizer = new Authorizer({
    proxy: settings.PROXY,
    trustedProxies: new TrustedProxies(settings.TRUSTED_PROXIES),
    current: () => inForce.current,
    onRefused: refusalLog(log, metrics?.countRefusal),
  })
  const readiness = () =>
    isStopping ? 'stopping' : guard().isReady() ? 'ready' : 'waiting for keys'
  const answer = answerOf(settings.PROXY, authorizer, readiness)
  const observe = observeRequests(tracing, metrics?.guard.observeRequest, () => authorizePath)
  const fetch: Fetch = (request, bindings) => {
    const { incoming } = bindings as { readonly incoming: IncomingMessage }
    if (observe === undefined) return answer(incoming)
    return observe(
      request,
      () => authorizePath,
      async () => answer(incoming),
    )
  }
  listener.answerWith(fetch)
  inForce.start()
  return {
    url: listener.url,
    metricsUrl: metricsListener?.url,
    reload: inForce.reload,
    stop: async (options) => {
      isStopping = true
      const delayed = { ...options, delayMs: settings.STOP_DELAY_SECONDS * 1000 }
      await Promise.all([listener.stop(delayed), metricsListener?.stop(delayed)])
      inForce.stop()
    },
  }
}

/** Answers the questions of the proxy, and the probes of an operator. */
function answerOf(proxy: ProxyName, authorizer: Authorizer, readiness: () => string) {
  const health: Readonly<Record<string, () => string>> = {
    '/healthz': () => 'alive',
    '/readyz': readiness,
  }
  return (incoming: IncomingMessage): Response | Promise<Response> => {
    const url = incoming.url ?? ''
    const question = questionAt(proxy, url)
    if (question === 'decision') return authorizer.answer(incoming)
    if (question === 'refusal') return authorizer.answerRefused(incoming)
    const status = health[url]?.()
    if (status === undefined) return errorResponse(notFound)
    const isGood = status === 'ready' || status === 'alive'
    return Response.json({ status }, { status: isGood ? 200 : 503, headers: uncachedJson })
  }
}

/** Counts the refusals before the guard, and warns once of each peer that may not ask. */
function refusalLog(log: Logger, count?: (reason: RefusalReason) => void) {
  const namedPeers = new Set<string>()
  return (reason: RefusalReason, peer: string) => {
    count?.(reason)
    const isFirst = !namedPeers.has(peer) && namedPeers.size < maxNamedPeers
    if (reason !== 'peer_not_trusted') log.debug({ reason }, 'refused')
    else if (isFirst) {
      namedPeers.add(peer)
      log.warn({ peer, setting: 'TRUSTED_PROXIES' }, 'a peer is no trusted proxy')
    }
  }
}
