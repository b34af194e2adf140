import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { TrustedProxies } from '@greeting/http-service'
import type { ServiceOptions } from './service-options.ts'

const loopback = new TrustedProxies(['127.0.0.0/8', '::1'])

/** Base64 of a certificate of at most 12 KB between colons: a Byte Sequence of RFC 8941. */
const byteSequence = /^:([A-Za-z0-9+/]{1,16384}={0,2}):$/

/**
 * The SHA-256 of the client's certificate: from the TLS handshake, or from the `Client-Cert` field of a proxy
 * that terminated TLS. The field of every other peer is ignored, and so is a field that crossed a network
 * without TLS, because anyone on the way can insert another client's certificate, which is public.
 *
 * @returns base64url without padding; undefined without a certificate
 * @see RFC 9440 section 2.2
 */
export function clientThumbprint(
  incoming: IncomingMessage | undefined,
  { clientCertProxies }: Pick<ServiceOptions, 'clientCertProxies'>,
): string | undefined {
  const socket = incoming?.socket
  const isSecure = socket instanceof TLSSocket
  const certificate = isSecure ? socket.getPeerX509Certificate() : undefined
  if (certificate !== undefined) return thumbprintOf(certificate.raw)
  const peer = socket?.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  if (!clientCertProxies.has(peer) || !(isSecure || loopback.has(peer))) return undefined
  const [, base64] = byteSequence.exec(String(incoming?.headers['client-cert'] ?? '')) ?? []
  return base64 === undefined ? undefined : thumbprintOf(Buffer.from(base64, 'base64'))
}

const thumbprintOf = (der: Uint8Array) => createHash('sha256').update(der).digest('base64url')
