import type { KeyActor, KeyEvent, KeyRing } from '@greeting/directory/keys'

/** The actor of changes that the server makes on schedule. */
export const system: KeyActor = { actor: 'system', correlationId: null }

/** The events between two states of a ring. `removal` is the reason for keys that are missing in the later state. */
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
