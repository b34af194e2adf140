/** The store is not available or did not answer in time. A later attempt may succeed. */
export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable'
  override readonly name: string = 'StorageUnavailableError'
}

/** A decision needs more of the directory than the server loads for one. Another attempt needs as much. */
export class TooManyLookupsError extends StorageUnavailableError {
  override readonly name = 'TooManyLookupsError'
}
