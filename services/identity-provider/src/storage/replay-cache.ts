/** Which client assertions were used, for servers where each is good for one token. */
export interface ReplayCache {
  /**
   * Remembers the use of an assertion until it has expired. Atomic over all replicas and durable:
   * of any number of attempts exactly one is told `true`.
   *
   * @throws {StorageUnavailableError} storage_unavailable when it cannot be remembered; the caller
   *   then refuses the assertion.
   */
  spend(clientId: string, jti: string, expiresAt: Date): Promise<boolean>
}
