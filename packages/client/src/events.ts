import type { ClientErrorCode } from './errors.ts'

/** An event for a log or a metric. No event contains a token or a secret. */
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
      /** True for a renewal in the background, while the old token was still usable. */
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

/** Receives events. Its exceptions are ignored. */
export type OnEvent = (event: ClientEvent) => void

/** Wraps a listener so that its exceptions are ignored. */
export function safeListener(onEvent: OnEvent | undefined): OnEvent {
  return (event) => {
    try {
      onEvent?.(event)
    } catch {
      // A job must not fail because its log fails.
    }
  }
}
