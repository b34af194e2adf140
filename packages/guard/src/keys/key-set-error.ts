import type { KeySetFault } from './key-set.ts'

/** Why a key set is not available. */
export type KeySetErrorCode = 'unreachable' | 'timed_out' | 'bad_status' | 'too_large' | KeySetFault

/** A refresh of a key set failed. The `code` gives the reason, `cause` the original error. */
export class KeySetError extends Error {
  readonly code: KeySetErrorCode

  constructor(code: KeySetErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KeySetError'
    this.code = code
  }
}
