import { createMetrics as createGuardMetrics } from '@greeting/http-service/guard-metrics'
import { Counter, Gauge } from 'prom-client'
import type { RefusalReason } from './authorizer.ts'

/** The metrics of the authorizer: those of its guard, and its own. */
export function createMetrics() {
  const guard = createGuardMetrics()
  const registers = [guard.registry]
  const refusals = new Counter({
    name: 'greeting_authorizer_refusals_total',
    help: 'Requests that were refused before the guard, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const reloads = new Counter({
    name: 'greeting_authorizer_rules_reloads_total',
    help: 'Changes of the rules file: success or failure. After a failure, the old rules stay in force.',
    labelNames: ['result'],
    registers,
  })
  return {
    guard,
    countRefusal: (reason: RefusalReason) => refusals.inc({ reason }),
    countReload: (result: 'success' | 'failure') => reloads.inc({ result }),
    watchRules: (count: () => number) =>
      new Gauge({
        name: 'greeting_authorizer_rules',
        help: 'Rules in force.',
        registers,
        collect() {
          this.set(count())
        },
      }),
  }
}
