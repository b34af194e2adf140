import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** A proxy that connects every host name to one server, as a hosts file would. */
export type LeadingProxy = {
  readonly url: string
  /** The requested destinations, each as `host:port`. */
  readonly asked: readonly string[]
  readonly stop: () => Promise<void>
}

/**
 * Starts a proxy on a free port of this machine.
 *
 * @param origin the destination of every connection
 * @param exceptions other destinations by the requested host name
 */
export async function startLeadingProxy(
  origin: string,
  exceptions: ReadonlyMap<string, string> = new Map(),
): Promise<LeadingProxy> {
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', ({ url }, socket, head) => {
    asked.push(String(url))
    const [requested = ''] = String(url).split(':')
    const { hostname, port } = new URL(exceptions.get(requested) ?? origin)
    const tunnel = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      tunnel.write(head)
      tunnel.pipe(socket).pipe(tunnel)
    })
    // Either side may close first, with or without an error. Then the other side is closed too.
    tunnel.on('error', () => {}).on('close', () => socket.destroy())
    socket.on('error', () => {}).on('close', () => tunnel.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { address, port: ownPort } = proxy.address() as AddressInfo
  return {
    url: `http://${address}:${ownPort}`,
    asked,
    stop: async () => {
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
