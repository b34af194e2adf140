import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Settings, of which those whose name ends with `PORT` are ports, and may have a `HOST` of their own. */
type PortSettings = { readonly HOST: string; readonly [name: string]: unknown }

/**
 * Chooses free ports for the settings that are 0, as values of the environment. All workers open the
 * same ones, also a worker that starts after all others have ended.
 *
 * @throws {Error} with Node's `code` when the host is no address of this machine
 */
export async function chooseFreePorts(settings: PortSettings): Promise<Record<string, string>> {
  const names = Object.keys(settings).filter(
    (name) => name.endsWith('PORT') && settings[name] === 0,
  )
  const servers = await Promise.all(
    names.map(async (name) => {
      const host = settings[name.replace('PORT', 'HOST')] ?? settings.HOST
      const server = createServer().listen(0, String(host))
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => String((server.address() as AddressInfo).port))
  // All are open at the same time, so that they differ.
  await Promise.all(
    servers.map(async (server) => {
      const closed = once(server, 'close')
      server.close()
      await closed
    }),
  )
  return Object.fromEntries(names.map((name, index) => [name, ports[index] ?? '']))
}
