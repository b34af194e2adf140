/** The storage could not be asked, or did not answer: nobody can tell, and later it may work. */
export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable'
  override readonly name = 'StorageUnavailableError'
}
