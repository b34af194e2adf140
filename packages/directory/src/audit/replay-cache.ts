/** Remembers what may be used once: client assertions, and the links and sessions of the portal. */
export interface ReplayCache {
  /**
   * Records the use of an assertion until it has expired. Atomic over all replicas, and durable:
   * of all attempts with one assertion, exactly one returns `true`.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the use cannot be recorded; the caller
   *   then refuses the assertion
   */
  spend(clientId: string, jti: string, expiresAt: Date): Promise<boolean>

  /**
   * Whether the use was recorded, by any replica.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store does not answer
   */
  isSpent(clientId: string, jti: string): Promise<boolean>
}
