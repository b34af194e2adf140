import type { EventListener, Guard } from '@greeting/guard'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ObserveRequest } from '../request-observer.ts'

export type Metrics = {
  /** Counts the events of the guard. */
  readonly listener: EventListener
  /** Connects the gauges to the guard, which is created after the metrics. */
  readonly watch: (guard: Pick<Guard, 'keySets' | 'cachedTokens'>) => void
  readonly registry: Registry
  readonly observeRequest: ObserveRequest
}

/** Creates the metrics of one service, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  // Plain numbers, because every request counts here. Labels are made only when Prometheus reads.
  let admitted = 0
  const refused = new Map<string, number>()
  new Counter({
    name: 'greeting_guard_decisions_total',
    help: 'Requests that were admitted or refused, with the reason of each refusal.',
    labelNames: ['outcome', 'reason'],
    registers,
    collect() {
      this.reset()
      this.inc({ outcome: 'admitted', reason: '' }, admitted)
      for (const [reason, count] of refused) this.inc({ outcome: 'refused', reason }, count)
    },
  })
  const refreshes = new Counter({
    name: 'greeting_guard_key_set_refreshes_total',
    help: 'Attempts to fetch the key set: success, or the code of the failure.',
    labelNames: ['result'],
    registers,
  })
  const keyChanges = new Counter({
    name: 'greeting_guard_key_changes_total',
    help: 'Changes of the keys: key_added, key_gone, key_unused, and key_set_stale when the key set is too old to use.',
    labelNames: ['change'],
    registers,
  })
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time until a response begins, by the pattern of the route.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    // A remembered token is decided in a fraction of a millisecond.
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  const listener: EventListener = (event) => {
    if (event.type === 'admitted') admitted += 1
    else if (event.type === 'refused') {
      refused.set(event.reason, (refused.get(event.reason) ?? 0) + 1)
    } else if (event.type === 'key_set_refreshed') refreshes.inc({ result: 'success' })
    else if (event.type === 'key_set_refresh_failed') refreshes.inc({ result: event.error.code })
    else keyChanges.inc({ change: event.type })
  }
  return {
    listener,
    watch: (guard) => observeGuard(guard, registers),
    registry,
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe(
        {
          http_request_method: method,
          http_route: route,
          http_response_status_code: String(status),
        },
        seconds,
      ),
  }
}

function observeGuard(guard: Pick<Guard, 'keySets' | 'cachedTokens'>, registers: Registry[]): void {
  const perKeySet = (name: string, help: string, value: (set: KeySet) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['url'],
      registers,
      collect() {
        for (const keySet of guard.keySets()) this.set({ url: keySet.url }, value(keySet))
      },
    })
  perKeySet(
    'greeting_guard_key_set_age_seconds',
    'Time since the last valid key set; +Inf before the first one.',
    ({ ageSeconds }) => ageSeconds,
  )
  perKeySet('greeting_guard_keys', 'Usable keys in the key set.', ({ keys }) => keys)
  perKeySet(
    'greeting_guard_key_set_usable',
    '1 while the key set can verify tokens, else 0.',
    ({ isUsable }) => Number(isUsable),
  )
  new Gauge({
    name: 'greeting_guard_remembered_tokens',
    help: 'Verified tokens in the cache.',
    registers,
    collect() {
      this.set(guard.cachedTokens())
    },
  })
}

type KeySet = ReturnType<Guard['keySets']>[number]
