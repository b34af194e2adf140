import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { TrustedProxies } from '@greeting/http-service'

/**
 * Finds the source of a request for the rate limit: the address of the connection, or the client
 * address that trusted proxies forward. Forwarded addresses of other peers are ignored.
 *
 * @returns an IPv4 address, or the /64 network of an IPv6 address, because one host usually has all
 *   addresses of its /64; empty without a socket
 */
export function sourceAddress(
  incoming: IncomingMessage | undefined,
  trustedProxies: TrustedProxies,
): string {
  const peer = addressOf(incoming?.socket.remoteAddress ?? '') ?? ''
  if (!trustedProxies.has(peer)) return networkOf(peer)
  const forwarded = String(incoming?.headers['x-forwarded-for'] ?? '').split(',')
  let nearest = peer
  for (const text of forwarded.reverse()) {
    const address = addressOf(text.trim())
    // A proxy that forwards no address is the source itself.
    if (address === undefined) break
    nearest = address
    if (!trustedProxies.has(address)) break
  }
  return networkOf(nearest)
}

const withPort = /^(?:\[([^\]]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/

/** The canonical form of an address, without port, zone and the prefix of a mapped IPv4 address. */
function addressOf(text: string): string | undefined {
  const [, bracketed, beforePort] = withPort.exec(text) ?? []
  const [address = ''] = (bracketed ?? beforePort ?? text).split('%', 1)
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=.*\.)/, '')
}

/** The /64 network of an IPv6 address; any other text unchanged. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
