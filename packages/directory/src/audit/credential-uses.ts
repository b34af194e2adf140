/** The last use of each credential. Uses are written in batches, so that no request waits. */
export interface CredentialUses {
  /** Moves the last use of each named credential forward to its new time. */
  record(uses: ReadonlyMap<string, Date>): Promise<void>
  /** The last use of each of these credentials; absent when it was never used. */
  lastUses(names: readonly string[]): Promise<ReadonlyMap<string, Date>>
}
