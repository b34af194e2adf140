// Folder: The rows of the signing keys, and the port to their store.

/** A key pair with its certificate, before it is part of a ring. */
export type NewSigningKey = {
  /** SHA-1 of the certificate's DER in base64url, which is also its `x5t`. */
  readonly kid: string
  /** The certificate with the public key: DER in base64. */
  readonly certificate: string
  /** The private key: PKCS #8, encrypted with the key-encryption key. */
  readonly sealedPrivateKey: string
}

/** A signing key in the store. Its phase follows from its start and the clock. */
export type SigningKey = NewSigningKey & {
  /** Start of its publication. */
  readonly announcedAt: Date
  /** Start of signing. It signs until the next key starts. */
  readonly signsFrom: Date
  /** When a server with an agreed time first saw that the next key signs; null before. */
  readonly retiredAt: Date | null
  /** Seconds from signing to `exp`, for the longest-lived token that it may have signed. */
  readonly longestTokenSeconds: number
}

/** All published keys, in the order in which they sign. */
export type KeyRing = readonly SigningKey[]

export type KeyActor = {
  /** Application ID, or `system` for the schedule. */
  readonly actor: string
  readonly correlationId: string | null
}

/** An event of a signing key, for the audit log. */
export type KeyEvent = KeyActor & {
  readonly at: Date
  readonly action: 'announce' | 'reschedule' | 'retire' | 'reencrypt' | 'remove' | 'revoke'
  readonly kid: string
}

/**
 * A commit of the ring: its number and its random mark. Numbers repeat after the store is restored
 * from a backup, but marks do not.
 */
export type RingCommit = {
  /** Starts at 1; 0 is the state before the first commit. */
  readonly revision: number
  /** Null for the state before the first commit, and for commits of releases without marks. */
  readonly mark: string | null
}

/** The store of the key ring. All replicas share it, and coordinate only through `commit`. */
export interface KeyRingStore {
  /**
   * Reads the last committed ring.
   *
   * @param known the latest commit that this process has read; default: none
   */
  read(known?: RingCommit): Promise<{
    readonly latest: RingCommit
    /** False when the store does not have the known commit: it was restored from a backup. */
    readonly hasKnown: boolean
    readonly ring: KeyRing
  }>

  /**
   * Writes a ring and its audit events durably in one transaction, as the commit after `base`, with this mark.
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

/** The key ring before the first commit. */
export const firstRing: RingCommit = { revision: 0, mark: null }
