import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Headers = Record<string, string> | readonly string[]

/**
 * Sends a request over a new connection, with unchanged path and headers. Headers in an array may be
 * repeated.
 */
export async function call(
  url: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Headers } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const sent = request({ hostname, port, path, method, headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

/** Sends a request with a bearer token. */
export const callWith = (url: string, path: string, token: string, method = 'GET') =>
  call(url, path, { method, headers: { authorization: `Bearer ${token}` } })
