/** The store is not available or did not answer in time. A later attempt may succeed. */
export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable'
  override readonly name = 'StorageUnavailableError'
}
