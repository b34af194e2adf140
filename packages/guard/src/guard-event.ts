import type { Caller } from './caller.ts'
import type { KeySetError } from './keys/key-set-error.ts'
import type { KeyFault } from './keys/verification-key.ts'
import type { RefusalReason } from './refusal.ts'

/** The trusted issuers of the options, and the other issuer that a token names. */
export type IssuerMismatch = {
  readonly expected: readonly string[]
  /** Anyone can write it. It has at most 200 characters, all of them printable ASCII. */
  readonly received: string
}

/** An event of the guard. No event contains a token, and only `issuer` contains a part of one. */
export type GuardEvent =
  | { readonly type: 'admitted'; readonly caller: Caller; readonly isCached: boolean }
  | {
      readonly type: 'refused'
      readonly reason: RefusalReason
      /** Present for `issuer_not_trusted`. */
      readonly issuer?: IssuerMismatch
    }
  | { readonly type: 'key_set_refreshed'; readonly url: string; readonly keys: number }
  | {
      readonly type: 'key_set_refresh_failed'
      readonly url: string
      readonly error: KeySetError
      readonly nextAttemptMs: number
    }
  /** The last good key set is older than its ceiling: no token is verified until a refresh. */
  | { readonly type: 'key_set_stale'; readonly url: string }
  | { readonly type: 'key_added'; readonly url: string; readonly kid: string }
  | { readonly type: 'key_gone'; readonly url: string; readonly kid: string }
  | {
      readonly type: 'key_unused'
      readonly url: string
      readonly kid: string | undefined
      readonly fault: KeyFault
    }

/** Receives the events of a guard. An exception of the listener changes no decision. */
export type EventListener = (event: GuardEvent) => void
