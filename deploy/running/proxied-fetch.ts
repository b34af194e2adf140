import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

/**
 * A `fetch` that reaches every host at one port of this machine, as a name server would lead to a proxy.
 *
 * @param ca the certificate that it trusts
 */
export function proxiedFetch(port: number, ca: string): typeof fetch & Disposable {
  const agent = new Agent({ keepAlive: true, ca })
  const send: typeof fetch = async (input, init) => {
    const { hostname, pathname, search } = new URL(String(input))
    const body = init?.body === undefined ? undefined : String(init.body)
    const form = init?.body instanceof URLSearchParams && 'application/x-www-form-urlencoded'
    const sent = request({
      host: '127.0.0.1',
      port,
      agent,
      servername: hostname,
      method: init?.method ?? 'GET',
      path: pathname + search,
      headers: {
        ...Object.fromEntries(new Headers(init?.headers)),
        host: hostname,
        ...(form && { 'content-type': form }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const bytes = Buffer.concat(await answer.toArray())
    return new Response(bytes, { status: answer.statusCode ?? 0 })
  }
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() })
}
