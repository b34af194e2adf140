import type { LabHost, LabKey } from './lab-host.ts'

/** The signing keys of a server, as a test changes them. */
export class LabKeys {
  readonly #keys: LabHost['keys']

  constructor(keys: LabHost['keys']) {
    this.#keys = keys
  }

  /** The keys, in the order in which they sign. */
  list(): readonly LabKey[] {
    return this.#keys.list()
  }

  /** The ID of the key that signs. */
  get activeId(): string {
    return this.list().find(({ phase }) => phase === 'active')?.kid ?? ''
  }

  /**
   * Lets the announced key sign at once, without the notice of a rotation on demand. The former key stays
   * published.
   *
   * @returns the ID of the key that signs now
   */
  async rotate(): Promise<string> {
    await this.#keys.rotate()
    return this.activeId
  }

  /**
   * Removes a key at once: its tokens are refused as soon as the key set is read again.
   *
   * @param kid default: the key that signs
   * @throws {SigningError} signing_key_unknown when no key has this ID
   */
  revoke(kid: string = this.activeId): Promise<void> {
    return this.#keys.revoke(kid)
  }
}
