import type { EventListener, Guard } from '@greeting/guard'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** What the service counts, and how Prometheus reads it. */
export type Metrics = {
  /** Counts what the guard tells. */
  readonly listener: EventListener
  /** Lets the gauges ask this guard, once it is there. */
  readonly watch: (guard: Pick<Guard, 'keySets' | 'cachedTokens'>) => void
  readonly contentType: string
  readonly read: () => Promise<string>
}

/** Makes the metrics of one service; two of them in one process do not meet. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  // Counted by plain numbers, and labelled only when somebody asks: there is one for each request.
  let admitted = 0
  const refused = new Map<string, number>()
  new Counter({
    name: 'greeting_guard_decisions_total',
    help: 'Requests that were admitted or refused, and why they were refused.',
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
    help: 'Attempts to fetch the key set, by their result.',
    labelNames: ['result'],
    registers,
  })
  const keyChanges = new Counter({
    name: 'greeting_guard_key_changes_total',
    help: 'Signing keys that were added, are gone, or are published but not used.',
    labelNames: ['change'],
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
    contentType: registry.contentType,
    read: () => registry.metrics(),
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
    'Since the last good key set; +Inf before the first.',
    ({ ageSeconds }) => ageSeconds,
  )
  perKeySet('greeting_guard_keys', 'Usable keys in hand.', ({ keys }) => keys)
  perKeySet(
    'greeting_guard_key_set_usable',
    '1 while tokens can be verified with the key set, else 0.',
    ({ isUsable }) => Number(isUsable),
  )
  new Gauge({
    name: 'greeting_guard_remembered_tokens',
    help: 'Verified tokens that are remembered.',
    registers,
    collect() {
      this.set(guard.cachedTokens())
    },
  })
}

type KeySet = ReturnType<Guard['keySets']>[number]
