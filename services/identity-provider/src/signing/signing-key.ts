/** A key pair with its certificate, before it has a place among the others. */
export type NewSigningKey = {
  /** SHA-1 of the certificate's DER in base64url, which is also its `x5t`: names the key. */
  readonly kid: string
  /** The certificate, DER in base64: carries the public key. */
  readonly certificate: string
  /** The private key, PKCS #8, encrypted under the key-encryption key. */
  readonly sealedPrivateKey: string
}

/** A signing key as the store keeps it. Its phase follows from these times and the clock. */
export type SigningKey = NewSigningKey & {
  /** Since when it is published. */
  readonly announcedAt: Date
  /** From when it signs, until the next one does. */
  readonly signsFrom: Date
  /** Seconds from signing to `exp` of the longest-lived token that it may have signed. */
  readonly longestTokenSeconds: number
}
