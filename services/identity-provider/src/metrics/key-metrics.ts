import type { KeyState } from '../signing/key-ring.ts'
import { keyPhases } from '../signing/key-ring.ts'
import type { MetricSet } from './metric-set.ts'

/** The figures of the signing keys. */
export type KeyFigures = {
  readonly states: () => readonly KeyState[]
  readonly revision: number
  readonly conflicts: number
  readonly ageSeconds: number
}

const phases = Object.keys(keyPhases)

/** Adds the phases of the signing keys, and the time until each phase ends. */
export function keyMetrics(metrics: MetricSet, keys: KeyFigures, now: () => Date): void {
  const byPhase = <Value>(value: (states: readonly KeyState[]) => Value) =>
    Object.fromEntries(
      phases.map((phase) => [phase, value(keys.states().filter((state) => state.phase === phase))]),
    )
  metrics.gaugeBy('phase', 'greeting_signing_keys', 'Signing keys in each phase.', () =>
    byPhase((states) => states.length),
  )
  metrics.gaugeBy(
    'phase',
    'greeting_signing_key_phase_end_seconds',
    'Time until the next key leaves this phase: an announced key signs, an active one retires.',
    () =>
      byPhase((states) => {
        const ends = states.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
        return ends.length === 0 ? undefined : (Math.min(...ends) - now().getTime()) / 1000
      }),
  )
  metrics.gauge(
    'greeting_signing_keys_revision',
    'The commit of the signing keys that this server follows.',
    () => keys.revision,
  )
  metrics.gauge(
    'greeting_signing_keys_age_seconds',
    'Time since the signing keys were last read from the store. Above 1 s, nothing is signed.',
    () => keys.ageSeconds,
  )
  metrics.count(
    'greeting_signing_keys_conflicts_total',
    'Changes of the signing keys that were decided again, because another server was faster.',
    () => keys.conflicts,
  )
}
