import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/** A proxy that adds a token, because the runner calls servers without one. */
export type TokenProxy = { readonly url: string; readonly stop: () => void }

/** Starts a proxy on a free port of this machine, with the path of the server. */
export async function startTokenProxy(server: string, token: string): Promise<TokenProxy> {
  const target = new URL(server)
  const proxy = createServer((incoming, response) => {
    const { method, url = '/', headers } = incoming
    const forwarded = { ...headers, authorization: `Bearer ${token}` }
    const outgoing = request(new URL(url, target), { method, headers: forwarded }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response, () => {})
    })
    pipeline(incoming, outgoing, () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${target.pathname}`,
    stop: () => {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}
