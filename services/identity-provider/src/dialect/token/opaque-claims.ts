/** The random claims of a token. Only this server may read a meaning in them. */
export type OpaqueClaims = {
  readonly aio: string
  readonly rh: string
  readonly uti: string
  readonly xms_ftd: string
}

/** Makes the opaque claims of one token, in the lengths of Entra (entra E50, entra E53). */
export function createOpaqueClaims(randomBytes: (length: number) => Uint8Array): OpaqueClaims {
  const { buffer, byteOffset, byteLength } = randomBytes(16 + 36 + 30 + 48)
  const random = Buffer.from(buffer, byteOffset, byteLength)
  return {
    uti: random.toString('base64url', 0, 16),
    aio: random.toString('base64', 16, 16 + 36),
    rh: `1.${random.toString('base64url', 52, 82)}.`,
    xms_ftd: random.toString('base64url', 82, 130),
  }
}
