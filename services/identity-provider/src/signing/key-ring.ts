import { type KeyPhase, keyPhases } from './key-phase.ts'
import { type KeySchedule, retirementSeconds } from './key-schedule.ts'
import type { NewSigningKey, SigningKey } from './signing-key.ts'

/** Every key that is not gone, in the order in which they sign. */
export type KeyRing = readonly SigningKey[]

/** A key with the phase it is in, and when it leaves that phase; null when nothing says so yet. */
export type KeyState = {
  readonly key: SigningKey
  readonly phase: KeyPhase
  readonly until: Date | null
}

const secondMs = 1000
const dayMs = 86_400 * secondMs

/**
 * The phase of every key, by the clock alone: replicas that know the same ring agree without
 * speaking to each other, and a rotation needs no store at the moment it takes effect.
 *
 * Exactly one key of a ring that is not empty is active, even when the clock is set back before
 * all of them.
 */
export function keyStates(ring: KeyRing, schedule: KeySchedule, now: Date): KeyState[] {
  const active = activeKey(ring, now)
  return ring.map((key, index) => {
    const successor = ring[index + 1]
    if (key === active) return { key, phase: 'active', until: successor?.signsFrom ?? null }
    if (successor === undefined || key.signsFrom > now) {
      return { key, phase: 'announced', until: key.signsFrom }
    }
    const retiredForMs = retirementSeconds(schedule, key.longestTokenSeconds) * secondMs
    const until = later(successor.signsFrom, retiredForMs)
    return { key, phase: now < until ? 'retired' : 'gone', until }
  })
}

/** The key that signs now; undefined only in an empty ring. */
export const activeKey = (ring: KeyRing, now: Date): SigningKey | undefined =>
  ring.findLast(({ signsFrom }) => signsFrom <= now) ?? ring[0]

/** The key that signs after the active one; undefined when none is announced. */
export const nextKey = (ring: KeyRing, now: Date): SigningKey | undefined => {
  const active = activeKey(ring, now)
  return active && ring[ring.indexOf(active) + 1]
}

/**
 * How many new keys a ring lacks: there is always one that signs and one that is announced, so
 * that several are published, and the next is known to verifiers before anybody needs it.
 */
export const keysLacking = (ring: KeyRing, now: Date): 0 | 1 | 2 =>
  ring.length === 0 ? 2 : nextKey(ring, now) === undefined ? 1 : 0

/**
 * Does what the schedule asks: drops keys that are gone, gives new keys their place, and brings the
 * announced one forward when the schedule became shorter.
 *
 * @param spares new keys, as many as `keysLacking` says
 * @returns the ring itself when there is nothing to do.
 */
export function maintain(
  ring: KeyRing,
  spares: readonly NewSigningKey[],
  schedule: KeySchedule,
  now: Date,
): KeyRing {
  const published = keyStates(ring, schedule, now)
    .filter(({ phase }) => keyPhases[phase].published)
    .map(({ key }) => key)
  const complete = spares
    .slice(0, keysLacking(published, now))
    .reduce((keys, spare) => announce(keys, spare, schedule, now), published)
  const next = nextKey(complete, now)
  const punctual =
    next === undefined ? complete : bringForward(complete, next, due(complete, next, schedule, now))
  const tended = allowLongerTokens(punctual, schedule, now)
  return isSame(ring, tended) ? ring : tended
}

/**
 * Makes the announced key the next to sign as soon as it has been published for the notice that an
 * unplanned rotation gives, at once when it already has.
 *
 * @param from `kid` of the key to rotate away from: when it signs no more, somebody else rotated,
 *   and there is nothing to do.
 */
export function rotate(ring: KeyRing, from: string, schedule: KeySchedule, now: Date): KeyRing {
  const next = nextKey(ring, now)
  if (next === undefined || activeKey(ring, now)?.kid !== from) return ring
  const notified = later(next.announcedAt, schedule.onDemandNoticeSeconds * secondMs)
  return bringForward(ring, next, latest(notified, now))
}

/**
 * Removes a key at once, with every token that it signed. When it was the active one, the
 * announced key takes its place, known to verifiers already.
 *
 * @param spares one new key, for when the last key that could sign is removed
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
  // A retired key never signs again: without an announced one, a new key has to.
  const successor = next ?? spares.map((spare) => placed(spare, now, schedule, now))[0]
  const others = rest.filter((key) => key !== successor)
  return successor === undefined ? others : inOrder([...others, { ...successor, signsFrom: now }])
}

const announce = (
  ring: KeyRing,
  spare: NewSigningKey,
  schedule: KeySchedule,
  now: Date,
): SigningKey[] => {
  const signsAtOnce = placed(spare, now, schedule, now)
  const key = { ...signsAtOnce, signsFrom: due(ring, signsAtOnce, schedule, now) }
  return inOrder([...ring, key])
}

const placed = (spare: NewSigningKey, signsFrom: Date, schedule: KeySchedule, now: Date) => ({
  ...spare,
  announcedAt: now,
  signsFrom,
  longestTokenSeconds: schedule.longestTokenSeconds,
})

/** When a key signs by the schedule: the first of a ring at once. */
function due(ring: KeyRing, key: SigningKey, schedule: KeySchedule, now: Date): Date {
  const active = activeKey(ring, now)
  if (active === undefined) return now
  return latest(
    later(active.signsFrom, schedule.rotateAfterDays * dayMs),
    later(key.announcedAt, schedule.announceDays * dayMs),
    now,
  )
}

// Only ever forward: replicas with different settings would move a key to and fro.
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
