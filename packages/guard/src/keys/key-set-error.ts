import type { KeySet, KeySetFault, NoUsableKey, UnusedKey } from './key-set.ts'

/** Why a key set is not available. */
export type KeySetErrorCode =
  | 'unreachable'
  | 'timed_out'
  | 'bad_status'
  | 'too_large'
  | Exclude<KeySetFault, object>
  | NoUsableKey['fault']

/** The error of a failed refresh of a key set. The `code` gives the reason, `cause` the original error. */
export class KeySetError extends Error {
  readonly code: KeySetErrorCode
  /** With the code `no_usable_key`: each published key, and the reason why it is not used. */
  readonly unused: readonly UnusedKey[]

  constructor(
    code: KeySetErrorCode,
    message: string,
    cause?: unknown,
    unused: readonly UnusedKey[] = [],
  ) {
    super(message, { cause })
    this.name = 'KeySetError'
    this.code = code
    this.unused = unused
  }
}

/**
 * Returns a key set, if at least one of its keys can be used.
 *
 * @param place where the keys are, for the message
 * @throws {KeySetError} the fault of a rejected key set
 */
export function requireUsable(set: KeySet | KeySetFault, place: string): KeySet {
  if (typeof set === 'string') throw new KeySetError(set, `${place}: ${set}`)
  if (!('fault' in set)) return set
  // The key IDs are texts of another server, so the message has only the faults.
  const counts = new Map<string, number>()
  for (const { fault } of set.unused) counts.set(fault, (counts.get(fault) ?? 0) + 1)
  const faults = [...counts].map(([fault, count]) => `${count} with ${fault}`).join(', ')
  const message = `${place}: ${set.fault}${faults && ` (${faults})`}`
  throw new KeySetError(set.fault, message, undefined, set.unused)
}
