import type { EventListener, GuardEvent } from '@greeting/guard'
import type { Tracing } from '@greeting/tracing'
import type { Logger } from 'pino'

type Row = readonly [level: 'debug' | 'info' | 'warn' | 'error', message: string]

/** The level of each event. Decisions have `debug`, because the metrics count them. */
const rows: Readonly<Record<GuardEvent['type'], Row>> = {
  admitted: ['debug', 'admitted'],
  refused: ['debug', 'refused'],
  key_set_refreshed: ['debug', 'key set refreshed'],
  key_set_refresh_failed: ['warn', 'key set could not be refreshed'],
  key_set_stale: ['error', 'key set is too old'],
  key_added: ['info', 'key added'],
  key_gone: ['info', 'key removed'],
  key_unused: ['debug', 'published key is not used'],
}

/** Makes a listener that writes the events of the guard to the log. No event contains a token. */
export function logGuardEvents(log: Logger): EventListener {
  // Checked once: each request has an event, and the level of a log does not change.
  const enabled = new Map(Object.entries(rows).filter(([, [level]]) => log.isLevelEnabled(level)))
  return (event) => {
    const row = enabled.get(event.type)
    if (row === undefined) return
    const [level, message] = row
    log[level](fieldsOf(event), message)
  }
}

function fieldsOf(event: GuardEvent): object {
  if (event.type === 'admitted') {
    const { applicationId, tokenId } = event.caller
    return { applicationId, tokenId, remembered: event.isCached }
  }
  if (event.type === 'key_set_refresh_failed') {
    const { url, error, nextAttemptMs } = event
    const { code, message: reason, cause } = error
    const causeCode = innermostCode(cause)
    return { url, code, reason, causeCode, nextAttemptMs: Math.round(nextAttemptMs) }
  }
  const { type: _, ...fields } = event
  return fields
}

/**
 * Finds the code of the innermost cause, such as `ECONNREFUSED`, which shows the operator the
 * fault. Messages and stacks of causes are not logged: they repeat at each retry and may contain
 * secrets.
 */
function innermostCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as NodeJS.ErrnoException
  const isCode = typeof code === 'string' && /^[A-Z_\d]{1,64}$/.test(code)
  return innermostCode(cause.cause) ?? (isCode ? code : undefined)
}

/** Adds a decision of the guard to the span of its request. No event contains a token. */
export function annotateDecision(tracing: Tracing, event: GuardEvent): void {
  if (event.type === 'admitted') {
    tracing.annotate({ 'greeting.decision': 'admitted', 'greeting.remembered': event.isCached })
  } else if (event.type === 'refused') {
    tracing.annotate({ 'greeting.decision': 'refused', 'greeting.reason': event.reason })
  }
}
