import type { ServiceOptions } from './service-options.ts'

/** Writes one audit record and one log message for each source with counted refusals. */
export function reportCountedRefusals({
  throttle,
  audit,
  log,
  source: { now },
}: Pick<ServiceOptions, 'throttle' | 'audit' | 'log' | 'source'>): void {
  for (const [source, count] of throttle.beyondLimit.take()) {
    log.warn({ source, count }, 'token requests refused beyond the limit')
    audit(
      {
        at: now(),
        tenantId: null,
        actor: source,
        action: 'token.throttle',
        target: null,
        outcome: 'refused',
        reason: `${count} requests`,
        correlationId: null,
      },
      'unauthenticated',
    )
  }
}
