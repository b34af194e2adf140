import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Sends one request with these header fields, and reads the answer. */
export async function call(url: string, path: string, method: string, fields: readonly string[]) {
  const { hostname, port } = new URL(url)
  const headers = ['host', 'localhost', ...fields]
  const sent = request({ hostname, port, path, method, headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}
