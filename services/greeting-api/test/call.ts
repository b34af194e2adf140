import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Headers = Record<string, string> | readonly string[]

/**
 * Sends a request with unchanged path and headers. Headers in an array may be repeated.
 *
 * @param agent holds the connections; without one, the request has a connection of its own
 */
export async function call(
  url: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    agent = false,
  }: { method?: string; headers?: Headers; agent?: Agent | false } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const sent = request({ hostname, port, path, method, headers, agent })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

/** Sends a request with a bearer token. */
export const callWith = (url: string, path: string, token: string, method = 'GET') =>
  call(url, path, { method, headers: { authorization: `Bearer ${token}` } })
