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
