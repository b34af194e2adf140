import { keyEvents, system } from '@greeting/identity-provider/parts/signing/key-event'
import type { KeyPhase } from '@greeting/identity-provider/parts/signing/key-ring'
import { nextKey } from '@greeting/identity-provider/parts/signing/key-ring'
import type { LabParts } from '@greeting/identity-provider/parts/startup/environment'

/** A published key and its phase. */
export type LabKey = { readonly kid: string; readonly phase: KeyPhase }

/** The signing keys of a server, as a test changes them. */
export class LabKeys {
  readonly #parts: LabParts
  readonly #now: () => Date

  constructor(parts: LabParts, now: () => Date) {
    this.#parts = parts
    this.#now = now
  }

  /** The keys, in the order in which they sign. */
  list(): readonly LabKey[] {
    return this.#parts.keys.states().map(({ key, phase }) => ({ kid: key.kid, phase }))
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
    const { keyRing, keys } = this.#parts
    await keys.tend()
    const now = this.#now()
    const { latest, ring } = await keyRing.read()
    const next = nextKey(ring, now)
    const rotated = ring.map((key) => (key === next ? { ...key, signsFrom: now } : key))
    const events = keyEvents(ring, rotated, { by: system, at: now, removal: 'remove' })
    await keyRing.commit(latest, crypto.randomUUID(), rotated, events)
    await keys.refresh()
    await keys.tend()
    return this.activeId
  }

  /**
   * Removes a key at once: its tokens are refused as soon as the key set is read again.
   *
   * @param kid default: the key that signs
   * @throws {SigningError} signing_key_unknown when no key has this ID
   */
  revoke(kid: string = this.activeId): Promise<void> {
    return this.#parts.keys.revoke(kid, system)
  }
}
