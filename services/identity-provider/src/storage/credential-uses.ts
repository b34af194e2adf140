/** When each credential was last used: written in batches, off the path of a request. */
export interface CredentialUses {
  /** Moves the last use of each credential, by its name, forward to the time given. */
  record(uses: ReadonlyMap<string, Date>): Promise<void>
  /** The last use of each of these credentials; absent when it was never used. */
  lastUses(names: readonly string[]): Promise<ReadonlyMap<string, Date>>
}
