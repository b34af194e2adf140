import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'

/** An error in a format that another thread can read, because a structured clone drops `code` and `errcode`. */
export type TransferredError = {
  readonly kind: 'unavailable' | 'type' | 'other'
  readonly message: string
  readonly stack: string | undefined
  /** `code`, `errcode` and `errstr` of `node:sqlite`. */
  readonly details: Readonly<Record<string, unknown>>
  readonly cause: string | undefined
}

const detailNames = ['code', 'errcode', 'errstr'] as const

/** Converts an error to a format that another thread can read. */
export function transferError(error: unknown): TransferredError {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  const details: Record<string, unknown> = {}
  for (const name of detailNames) {
    const value = (error as Partial<Record<string, unknown>> | null)?.[name]
    if (typeof value === 'string' || typeof value === 'number') details[name] = value
  }
  const kind =
    error instanceof StorageUnavailableError
      ? 'unavailable'
      : error instanceof TypeError
        ? 'type'
        : 'other'
  const causeText = cause instanceof Error ? cause.message : String(cause ?? '')
  return { kind, message, stack, details, cause: causeText || undefined }
}

/** Recreates an error from the other thread, with its class and its SQLite codes. */
export function errorFrom({ kind, message, stack, details, cause }: TransferredError): Error {
  const options = cause === undefined ? {} : { cause }
  const error =
    kind === 'unavailable'
      ? new StorageUnavailableError(message, options)
      : Object.assign(
          kind === 'type' ? new TypeError(message, options) : new Error(message, options),
          details,
        )
  if (stack !== undefined) error.stack = stack
  return error
}
