import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import { signed } from '@greeting/lab'
import { generateCertifiedKey } from '../signing/signing-key-generation.ts'

/** A certificate of a client in a test. Its key is new, so it is as safe as any other. */
export class ClientCertificate {
  /** The certificate in PEM. */
  readonly certificate: string
  readonly privateKey: KeyObject
  readonly #sha256: string

  constructor(der: Buffer, privateKey: KeyObject) {
    this.certificate = new X509Certificate(der).toString()
    this.privateKey = privateKey
    this.#sha256 = createHash('sha256').update(der).digest('base64url')
  }

  /**
   * Makes a client assertion for five minutes.
   *
   * @param audience the token endpoint
   * @see RFC 7523 section 2.2
   */
  assertion(clientId: string, audience: string, now: Date): string {
    const iat = Math.floor(now.getTime() / 1000)
    const header = { typ: 'JWT', alg: 'RS256', 'x5t#S256': this.#sha256 }
    const claims = { iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID() }
    return signed(header, { ...claims, iat, nbf: iat, exp: iat + 300 }, this.privateKey)
  }
}

/**
 * Generates a key and a self-signed certificate for a client in a test.
 *
 * @example
 * const client = await createClientCertificate(new Date())
 * const assertion = client.assertion(clientId, tokenEndpoint, new Date())
 */
export async function createClientCertificate(now: Date): Promise<ClientCertificate> {
  const { certificate, privateKey } = await generateCertifiedKey('Greeting test client', now)
  return new ClientCertificate(certificate, privateKey)
}
