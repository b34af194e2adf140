import { createHash } from 'node:crypto'

/** SHA-1 of a certificate's DER in base64url: the `x5t`, and also the `kid` (entra E79). */
export const thumbprintOf = (der: Uint8Array): string =>
  createHash('sha1').update(der).digest('base64url')
