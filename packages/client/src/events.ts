import type { ClientErrorCode } from './errors.ts'

/** What happened, for a log or a metric. No event ever holds a token or a secret. */
export type ClientEvent =
  | {
      readonly type: 'token_obtained'
      readonly from: 'server' | 'cache'
      readonly lifetimeSeconds: number
    }
  | {
      readonly type: 'token_request_failed'
      readonly code: ClientErrorCode
      readonly message: string
      readonly attempt: number
      /** Whether it was an early renewal, while the old token was still good. */
      readonly background: boolean
    }
  | { readonly type: 'token_dropped' }
  | { readonly type: 'credential_switched' }
  | { readonly type: 'clock_skewed'; readonly skewSeconds: number }
  | { readonly type: 'cache_failed'; readonly operation: 'get' | 'set'; readonly message: string }
  | {
      readonly type: 'call_answered'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly attempt: number
      readonly durationMs: number
    }
  | {
      readonly type: 'call_failed'
      readonly method: string
      readonly path: string
      readonly message: string
      readonly attempt: number
      readonly durationMs: number
    }

export type OnEvent = (event: ClientEvent) => void

/** A hook that cannot do harm: what it throws is its own affair. */
export function safeListener(onEvent: OnEvent | undefined): OnEvent {
  return (event) => {
    try {
      onEvent?.(event)
    } catch {
      // A log that is broken is no reason for a job to fail.
    }
  }
}
