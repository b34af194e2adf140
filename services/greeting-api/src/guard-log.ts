import type { EventListener, GuardEvent } from '@greeting/guard'
import type { Logger } from 'pino'

type Row = readonly [level: 'debug' | 'info' | 'warn' | 'error', message: string]

/** How loud each event is. A decision is told at `debug`: the counters hold the numbers. */
const rows: Readonly<Record<GuardEvent['type'], Row>> = {
  admitted: ['debug', 'admitted'],
  refused: ['debug', 'refused'],
  key_set_refreshed: ['debug', 'key set refreshed'],
  key_set_refresh_failed: ['warn', 'key set could not be refreshed'],
  key_set_stale: ['error', 'key set is too old to be relied on'],
  key_added: ['info', 'key added'],
  key_gone: ['info', 'key gone'],
  key_unused: ['debug', 'published key is not used'],
}

/** Writes what the guard tells into the log. No event carries a token. */
export function logGuardEvents(log: Logger): EventListener {
  // Asked once: a decision is told for every request, and the level of a log does not change.
  const told = new Map(Object.entries(rows).filter(([, [level]]) => log.isLevelEnabled(level)))
  return (event) => {
    const row = told.get(event.type)
    if (row === undefined) return
    const [level, message] = row
    log[level](detailOf(event), message)
  }
}

function detailOf(event: GuardEvent): object {
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
  const { type: _, ...detail } = event
  return detail
}

/**
 * The code deepest among the causes, such as `ECONNREFUSED`: it says what the operator can mend. Their
 * messages and stacks would be told again at every retry, and nobody here knows what is in them.
 */
function innermostCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as NodeJS.ErrnoException
  const isName = typeof code === 'string' && /^[A-Z_\d]{1,64}$/.test(code)
  return innermostCode(cause.cause) ?? (isName ? code : undefined)
}
