import { type AgreedTime, dayMs } from '@greeting/directory/clock'
import type { KeyRing, NewSigningKey, SigningKey } from '@greeting/directory/keys'
import { type KeySchedule, retirementSeconds } from './key-schedule.ts'

/** The phases of a signing key in their order, and whether the key signs. The key is published in each phase. */
export const keyPhases = {
  announced: { signs: false },
  active: { signs: true },
  retired: { signs: false },
} as const

type KeyPhase = keyof typeof keyPhases

/** A key, its phase, and the end of the phase; null while the end is unknown. */
export type KeyState = {
  readonly key: SigningKey
  readonly phase: KeyPhase
  readonly until: Date | null
}

const secondMs = 1000

/**
 * Determines the phase of every key from the clock alone. Replicas with the same ring agree without
 * communication, and a rotation needs no store when it takes effect.
 *
 * Exactly one key of a non-empty ring is active, also when the clock is before all of them.
 */
export function keyStates(ring: KeyRing, schedule: KeySchedule, now: Date): KeyState[] {
  const active = activeKey(ring, now)
  return ring.map((key, index) => {
    const successor = ring[index + 1]
    if (key === active) return { key, phase: 'active', until: successor?.signsFrom ?? null }
    if (successor === undefined || key.signsFrom > now)
      return { key, phase: 'announced', until: key.signsFrom }
    return { key, phase: 'retired', until: removableFrom(key, schedule) }
  })
}

/** When all tokens of a retired key have expired; null while its retirement is not recorded. */
const removableFrom = (
  { retiredAt, longestTokenSeconds }: SigningKey,
  schedule: KeySchedule,
): Date | null =>
  retiredAt && later(retiredAt, retirementSeconds(schedule, longestTokenSeconds) * secondMs)

/** Returns the active key; `undefined` only for an empty ring. */
export const activeKey = (ring: KeyRing, now: Date): SigningKey | undefined =>
  ring.findLast(({ signsFrom }) => signsFrom <= now) ?? ring[0]

/** Returns the key that signs after the active one; `undefined` if no key is announced. */
export const nextKey = (ring: KeyRing, now: Date): SigningKey | undefined => {
  const active = activeKey(ring, now)
  return active && ring[ring.indexOf(active) + 1]
}

/**
 * Counts the keys that a ring lacks. It needs one active and one announced key, so that verifiers
 * know the next key before it signs.
 */
export const keysLacking = (ring: KeyRing, now: Date): 0 | 1 | 2 =>
  ring.length === 0 ? 2 : nextKey(ring, now) === undefined ? 1 : 0

/** Creates the first ring. It needs no agreed time, because it replaces nothing. */
export const firstKeys = (
  spares: readonly NewSigningKey[],
  schedule: KeySchedule,
  now: Date,
): KeyRing => spares.reduce<KeyRing>((keys, spare) => announce(keys, spare, schedule, now), [])

/**
 * Applies the schedule: records retirements, removes keys whose recorded retirement has passed, adds new
 * keys, and advances the announced key if the schedule became shorter.
 *
 * A key that was active in the last maintenance is never removed: a clock that jumps may retire it at most.
 *
 * @param spares new keys, as many as `keysLacking` returns
 * @returns the same ring when nothing changes
 */
export function maintain(
  ring: KeyRing,
  spares: readonly NewSigningKey[],
  schedule: KeySchedule,
  { date: now }: AgreedTime,
): KeyRing {
  const kept = recordRetirements(ring, now).filter((key) => {
    const until = removableFrom(key, schedule)
    return until === null || now < until
  })
  const complete = spares
    .slice(0, keysLacking(kept, now))
    .reduce<KeyRing>((keys, spare) => announce(keys, spare, schedule, now), kept)
  const next = nextKey(complete, now)
  const punctual =
    next === undefined ? complete : bringForward(complete, next, due(complete, next, schedule, now))
  const tended = allowLongerTokens(punctual, schedule, now)
  return isSame(ring, tended) ? ring : tended
}

// A time in the future comes from a clock that was wrong.
const recordRetirements = (ring: KeyRing, now: Date): KeyRing => {
  const active = activeKey(ring, now)
  const signing = active === undefined ? 0 : ring.indexOf(active)
  return ring.map((key, index) => {
    const isKnown = key.retiredAt !== null && key.retiredAt <= now
    const retiredAt = index >= signing ? null : isKnown ? key.retiredAt : now
    return retiredAt === key.retiredAt ? key : { ...key, retiredAt }
  })
}

/**
 * Lets the announced key sign after the notice of an unplanned rotation, counted from its publication.
 *
 * @param from `kid` of the key to rotate away from. If it is no longer active, another rotation was
 * faster, and nothing changes.
 */
export function rotate(ring: KeyRing, from: string, schedule: KeySchedule, now: Date): KeyRing {
  const next = nextKey(ring, now)
  if (next === undefined || activeKey(ring, now)?.kid !== from) return ring
  const notified = later(next.announcedAt, schedule.onDemandNoticeSeconds * secondMs)
  return bringForward(ring, next, latest(notified, now))
}

/**
 * Removes a key at once, and so invalidates every token that it signed. If it was active, the
 * announced key, which verifiers already know, takes its place.
 *
 * @param spares one new key, in case the last key that could sign is removed
 */
export function revoke(
  ring: KeyRing,
  kid: string,
  spares: readonly NewSigningKey[],
  schedule: KeySchedule,
  now: Date,
): KeyRing {
  const revoked = ring.find((key) => key.kid === kid)
  if (revoked === undefined) return ring
  const rest = ring.filter((key) => key !== revoked)
  if (revoked !== activeKey(ring, now)) return rest
  const next = nextKey(ring, now)
  // A retired key never signs again: without an announced key, a new key must sign.
  const successor = next ?? spares.map((spare) => placed(spare, now, schedule, now))[0]
  const others = rest.filter((key) => key !== successor)
  return successor === undefined ? others : inOrder([...others, { ...successor, signsFrom: now }])
}

const announce = (
  ring: KeyRing,
  spare: NewSigningKey,
  schedule: KeySchedule,
  now: Date,
): KeyRing => {
  const signsAtOnce = placed(spare, now, schedule, now)
  const key = { ...signsAtOnce, signsFrom: due(ring, signsAtOnce, schedule, now) }
  return inOrder([...ring, key])
}

const placed = (spare: NewSigningKey, signsFrom: Date, schedule: KeySchedule, now: Date) => ({
  ...spare,
  announcedAt: now,
  signsFrom,
  retiredAt: null,
  longestTokenSeconds: schedule.longestTokenSeconds,
})

/** When a key signs by the schedule. The first key of a ring signs at once. */
function due(ring: KeyRing, key: SigningKey, schedule: KeySchedule, now: Date): Date {
  const active = activeKey(ring, now)
  if (active === undefined) return now
  return latest(
    later(active.signsFrom, schedule.rotateAfterDays * dayMs),
    later(key.announcedAt, schedule.announceDays * dayMs),
    now,
  )
}

// Advance only: otherwise replicas with different settings would move a key back and forth.
const bringForward = (ring: KeyRing, key: SigningKey, signsFrom: Date): KeyRing =>
  signsFrom < key.signsFrom
    ? inOrder(ring.map((one) => (one === key ? { ...one, signsFrom } : one)))
    : ring

const allowLongerTokens = (ring: KeyRing, schedule: KeySchedule, now: Date): KeyRing => {
  const first = ring.findIndex(({ kid }) => kid === activeKey(ring, now)?.kid)
  return ring.map((key, index) =>
    index >= first && key.longestTokenSeconds < schedule.longestTokenSeconds
      ? { ...key, longestTokenSeconds: schedule.longestTokenSeconds }
      : key,
  )
}

const isSame = (ring: KeyRing, other: KeyRing) =>
  ring.length === other.length && ring.every((key, index) => key === other[index])

const inOrder = (keys: readonly SigningKey[]) =>
  [...keys].sort((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime())

const later = (date: Date, byMs: number) => new Date(date.getTime() + byMs)

const latest = (...dates: Date[]) => new Date(Math.max(...dates.map((date) => date.getTime())))
