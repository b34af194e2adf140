/** The used client assertions, for servers on which each assertion is valid for one token. */
export interface ReplayCache {
  /**
   * Records the use of an assertion until it has expired. Atomic over all replicas, and durable:
   * of all attempts with one assertion, exactly one returns `true`.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the use cannot be recorded; the caller
   *   then refuses the assertion
   */
  spend(clientId: string, jti: string, expiresAt: Date): Promise<boolean>
}
