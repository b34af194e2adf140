import type { KeyEvent } from './key-event.ts'
import type { KeyRing } from './key-ring.ts'

/**
 * A commit of the ring: its number and its random mark. Numbers repeat after the store is restored
 * from a backup. Marks do not.
 */
export type RingCommit = {
  /** Starts at 1; 0 is the state before the first commit. */
  readonly revision: number
  /** Null for the state before the first commit, and for commits of releases without marks. */
  readonly mark: string | null
}

/** The store of the key ring. All replicas share it, and coordinate by `commit` only. */
export interface KeyRingStore {
  /**
   * Reads the last committed ring.
   *
   * @param known the commit that this process knows; default: the state before the first commit
   */
  read(known?: RingCommit): Promise<{
    readonly latest: RingCommit
    /** False when the store does not have the known commit: it was restored from a backup. */
    readonly hasKnown: boolean
    readonly ring: KeyRing
  }>

  /**
   * Writes a ring and its audit events durably in one transaction, as the commit after `base`, with
   * this mark.
   *
   * @returns `'conflict'`, with nothing written, when another commit already follows `base`, or the
   * store does not have `base`. At most one commit follows each commit.
   */
  commit(
    base: RingCommit,
    mark: string,
    ring: KeyRing,
    events: readonly KeyEvent[],
  ): Promise<'committed' | 'conflict'>
}

/** The state before the first commit. */
export const firstRing: RingCommit = { revision: 0, mark: null }
