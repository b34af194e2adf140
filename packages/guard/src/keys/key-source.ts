// Folder: Loads, checks and renews the keys that verify signatures.

import type { EventListener } from '../guard-event.ts'
import type { KeySet } from './key-set.ts'
import type { VerificationKey } from './verification-key.ts'

/** The verification keys of an issuer. */
export type KeySource = {
  /** The URL of the key set, or the issuer that has the option `keys`. */
  readonly url: string
  /** The current keys by `kid`. */
  readonly keys: ReadonlyMap<string, VerificationKey>
  /** False if there are no keys, or if they are too old. */
  readonly isUsable: boolean
  /** True if the keys are known to be up to date: any other `kid` is not published. */
  readonly isConfirmed: boolean
  /** Seconds since the last good key set, or infinity before the first one. */
  readonly ageSeconds: number
  /** Whole seconds, at least 1, after which a client should try again. */
  readonly retryAfterSeconds: number
  /** Reads keys that cost no request. Called before each use of `keys`. */
  readonly update: () => void
  /** Starts the refreshes. Resolves after the first attempt, successful or not. */
  readonly start: () => Promise<void>
  readonly stop: () => void
  /** The refresh to wait for if a `kid` is unknown. Undefined if no refresh is possible now. */
  readonly refreshForUnknownKey: () => Promise<void> | undefined
}

/** Emits an event for each difference between two key sets, and marks the keys that were removed. */
export function announceKeyChanges(
  url: string,
  before: ReadonlyMap<string, VerificationKey>,
  { keys, unused }: KeySet,
  emit: EventListener,
): void {
  for (const [kid, key] of before) {
    if (keys.get(kid) === key) continue
    key.isPublished = false
    emit({ type: 'key_gone', url, kid })
  }
  for (const [kid, key] of keys) {
    if (before.get(kid) !== key) emit({ type: 'key_added', url, kid })
  }
  announceUnusedKeys(url, unused, emit)
}

/** Emits an event for each published key that is not used. */
export function announceUnusedKeys(
  url: string,
  unused: KeySet['unused'],
  emit: EventListener,
): void {
  for (const { kid, fault } of unused) emit({ type: 'key_unused', url, kid, fault })
}
