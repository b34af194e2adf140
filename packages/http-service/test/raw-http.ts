import { once } from 'node:events'
import { type Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends bytes to a server, unchanged. Returns everything up to the end of the connection. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(bytes, 'latin1')
  return text(socket)
}

/** A request that asks for the end of the connection. */
export const rawRequest = (requestLine: string, ...fields: string[]) =>
  [requestLine, ...fields, 'Connection: close', '', ''].join('\r\n')

/** Requests for numbered paths, sent without waiting for an answer. */
export const pipelineOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

/** Requests a URL with a client that keeps connections when its agent does. */
export async function getFrom(
  url: string,
  agent?: Agent,
): Promise<IncomingMessage & { body: string }> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}
