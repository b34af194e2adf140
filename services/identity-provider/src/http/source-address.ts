import type { IncomingMessage } from 'node:http'

/**
 * The address that a request comes from: of the connection, or of the client as proxies that are
 * trusted tell it. What anybody else forwards is not believed.
 *
 * @param trustedProxies Addresses of proxies.
 */
export function sourceAddress(
  incoming: IncomingMessage | undefined,
  trustedProxies: ReadonlySet<string>,
): string {
  const peer = plain(incoming?.socket.remoteAddress ?? '')
  if (trustedProxies.size === 0 || !trustedProxies.has(peer)) return peer
  const forwarded = String(incoming?.headers['x-forwarded-for'] ?? '').split(',')
  // From the nearest: the first that is no proxy of ours is as far as anybody can vouch.
  return (
    forwarded.map((one) => plain(one.trim())).findLast((one) => !trustedProxies.has(one)) || peer
  )
}

const plain = (address: string) => address.replace(/^::ffff:/, '')
