import type { KeyRing } from './key-ring.ts'

/** The actor that changes signing keys. */
export type KeyActor = {
  /** Application ID, or `system` for the schedule. */
  readonly actor: string
  readonly correlationId: string | null
}

/** The server itself, which follows its schedule. */
export const system: KeyActor = { actor: 'system', correlationId: null }

/** An event of a signing key, for the audit log. */
export type KeyEvent = KeyActor & {
  readonly at: Date
  readonly action: 'announce' | 'reschedule' | 'retire' | 'reencrypt' | 'remove' | 'revoke'
  readonly kid: string
}

/**
 * The events between two states of a ring. `removal` is the reason for keys that are missing in the
 * later state.
 */
export function keyEvents(
  before: KeyRing,
  after: KeyRing,
  { by, at, removal }: { by: KeyActor; at: Date; removal: 'remove' | 'revoke' },
): KeyEvent[] {
  const earlier = new Map(before.map((key) => [key.kid, key]))
  const later = new Set(after.map(({ kid }) => kid))
  const event = (action: KeyEvent['action'], kid: string): KeyEvent => ({ ...by, at, action, kid })
  return [
    ...before.filter(({ kid }) => !later.has(kid)).map(({ kid }) => event(removal, kid)),
    ...after.flatMap(({ kid, sealedPrivateKey, signsFrom, retiredAt }) => {
      const was = earlier.get(kid)
      if (was === undefined) return event('announce', kid)
      if (was.sealedPrivateKey !== sealedPrivateKey) return event('reencrypt', kid)
      if (was.retiredAt === null && retiredAt !== null) return event('retire', kid)
      return was.signsFrom.getTime() === signsFrom.getTime() ? [] : event('reschedule', kid)
    }),
  ]
}
