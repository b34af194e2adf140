/** A new client secret. The directory shows its text only once. */
export type NewSecret = {
  /** Name of the client in the file. */
  readonly client: string
  readonly clientId: string
  /** The APIs of which the client requests permissions. */
  readonly apiApplicationIds: readonly string[]
  readonly secret: string
  readonly keyId: string
  readonly endDateTime: Date
  readonly secretText: string
}

/** A secret, identified by the names of its client and itself in the file. */
export type SecretName = Pick<NewSecret, 'client' | 'secret'>

/** Destination of new secrets. */
export type SecretSink = {
  /**
   * Checks that the new secrets can be stored, before anything is changed.
   *
   * @throws {CommandFailure} when they cannot.
   */
  readonly prepare: (secrets: readonly SecretName[]) => Promise<void>
  /** Stores one secret; it resolves when the secret is on disk. */
  readonly keep: (secret: NewSecret) => Promise<void>
}
