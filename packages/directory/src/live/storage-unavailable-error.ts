/** The error when the store is unavailable or did not respond in time. A later attempt may succeed. */
export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable'
  override readonly name: string = 'StorageUnavailableError'
}

/** The error when a decision needs too much of the directory. Another attempt would also fail. */
export class TooManyLookupsError extends StorageUnavailableError {
  override readonly name = 'TooManyLookupsError'
}
