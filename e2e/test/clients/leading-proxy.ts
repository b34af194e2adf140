import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** A proxy that leads every name to one server, as a hosts file would. */
export type LeadingProxy = {
  readonly url: string
  /** What was asked for, `host:port` each. */
  readonly asked: readonly string[]
  readonly stop: () => Promise<void>
}

/**
 * Starts a proxy on a free port of this machine.
 *
 * @param origin Where everything is led to, whatever was asked for.
 */
export async function startLeadingProxy(origin: string): Promise<LeadingProxy> {
  const { hostname, port } = new URL(origin)
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', ({ url }, socket, head) => {
    asked.push(String(url))
    const tunnel = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      tunnel.write(head)
      tunnel.pipe(socket).pipe(tunnel)
    })
    // Either end may go first, by an error or not, and then the other has nobody to talk to.
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
