// Folder: The guard as a program, for proxies before APIs in any language. It knows no API.

import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
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
import { Authorizer, type GuardedRules, questionAt, type RefusalReason } from './authorizer.ts'
import { authorizePath } from './original-request.ts'
import { parseRules } from './rules-file.ts'
import type { Settings } from './settings.ts'

/** A running authorizer. */
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
  /** How often the rules file is looked at, in milliseconds; default 1000. */
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
  { link, tracing, runtime, watchMs = 1000 }: ServiceParts = {},
): Promise<Service> {
  // 1. The rules, and a guard that knows their roles
  const file = settings.RULES_FILE
  const readRules = async () => parseRules(file, await readFile(file, 'utf8'))
  const firstRules = await readRules()
  const listener = await listen(settings.HOST, settings.PORT, {
    keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000,
  })
  const metricsListener = await openMetricsListener(settings).catch(async (cause) => {
    await listener.stop()
    throw cause
  })
  const metrics = metricsListener && (await import('./authorizer-metrics.ts')).createMetrics()
  const logEvent = logGuardEvents(log)
  const ownFetch = link?.fetch ?? globalThis.fetch
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
      runtime ?? { fetch: tracing?.traceFetch(ownFetch) ?? ownFetch },
    )
  let current: GuardedRules = { rules: firstRules, guard: guardFor(firstRules.roles) }

  // 2. Metrics and log
  if (metrics !== undefined) {
    metrics.guard.watch({
      keySets: () => current.guard.keySets(),
      cachedTokens: () => current.guard.cachedTokens(),
    })
    metrics.watchRules(() => current.rules.set.rules.length)
    const { registry } = metrics.guard
    link?.reportMetrics(registry)
    const read = link?.readAllMetrics ?? (() => registry.metrics())
    metricsListener?.answerWith(metricsFetch(read))
  }
  link?.onSharedFetch(() => void current.guard.start())
  const namedPeers = new Set<string>()
  const onRefused = (reason: RefusalReason, peer: string) => {
    metrics?.countRefusal(reason)
    const isFirst = !namedPeers.has(peer) && namedPeers.size < maxNamedPeers
    if (reason !== 'peer_not_trusted') log.debug({ reason }, 'refused')
    else if (isFirst) {
      namedPeers.add(peer)
      log.warn({ peer, setting: 'TRUSTED_PROXIES' }, 'a peer is no trusted proxy')
    }
  }

  // 3. Requests
  let isStopping = false
  const trustedProxies = new TrustedProxies(settings.TRUSTED_PROXIES)
  const { PROXY: proxy } = settings
  const authorizer = new Authorizer({ proxy, trustedProxies, current: () => current, onRefused })
  const health: Readonly<Record<string, () => string>> = {
    '/healthz': () => 'alive',
    '/readyz': () =>
      isStopping ? 'stopping' : current.guard.isReady() ? 'ready' : 'waiting for keys',
  }
  const answer = (incoming: IncomingMessage) => {
    const url = incoming.url ?? ''
    const question = questionAt(proxy, url)
    if (question === 'decision') return authorizer.answer(incoming)
    if (question === 'refusal') return authorizer.answerRefused(incoming)
    const status = health[url]?.()
    if (status === undefined) return errorResponse(notFound)
    const isGood = status === 'ready' || status === 'alive'
    return Response.json({ status }, { status: isGood ? 200 : 503, headers: uncachedJson })
  }
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
  void current.guard.start()

  // 4. A changed file
  const reloadNow = async () => {
    try {
      const rules = await readRules()
      const { guard } = current
      if (isStopping) return
      if (new Set(rules.roles).symmetricDifference(new Set(current.rules.roles)).size === 0) {
        current = { rules, guard }
      } else {
        const next = guardFor(rules.roles)
        // With its keys, so that no request meets a guard that knows none.
        await next.start()
        current = { rules, guard: next }
        guard.stop()
        if (isStopping) next.stop()
      }
      metrics?.countReload('success')
      log.info({ file, rules: rules.set.rules.length }, 'the new rules are in force')
    } catch (cause) {
      metrics?.countReload('failure')
      const reason = cause instanceof Error ? cause.message : String(cause)
      log.error({ file, reason }, 'the rules could not be read again, the old ones stay in force')
    }
  }
  let reloading = Promise.resolve()
  const reload = () => {
    reloading = reloading.then(reloadNow)
    return reloading
  }
  // By polling: a mounted file of Kubernetes changes by a link, which other ways do not see.
  watchFile(file, { interval: watchMs, persistent: false }, reload)
  return {
    url: listener.url,
    metricsUrl: metricsListener?.url,
    reload,
    stop: async (options) => {
      isStopping = true
      unwatchFile(file, reload)
      const delayed = { ...options, delayMs: settings.STOP_DELAY_SECONDS * 1000 }
      await Promise.all([listener.stop(delayed), metricsListener?.stop(delayed)])
      current.guard.stop()
    },
  }
}
