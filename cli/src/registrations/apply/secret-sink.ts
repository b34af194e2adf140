/** A client secret that was just made: it can be read now, and never again. */
export type NewSecret = {
  /** Name of the client, as the file gives it. */
  readonly client: string
  readonly clientId: string
  /** The APIs that the client requests permissions of. */
  readonly apiApplicationIds: readonly string[]
  readonly secret: string
  readonly keyId: string
  readonly endDateTime: Date
  readonly secretText: string
}

/** A secret by the names that the file gives it and its client. */
export type SecretName = Pick<NewSecret, 'client' | 'secret'>

/** Where new secrets go. */
export type SecretSink = {
  /**
   * Finds out, before anything is changed, whether the secrets that are to be made can be kept.
   *
   * @throws {CommandFailure} when they cannot.
   */
  readonly prepare: (secrets: readonly SecretName[]) => Promise<void>
  /** Keeps one; it resolves when the secret can no more be lost. */
  readonly keep: (secret: NewSecret) => Promise<void>
}
