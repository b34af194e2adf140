import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'

/** What is sent to whoever sends something that is no request, before any app is asked. */
type Answer = {
  readonly status: 400 | 408 | 431 | 500
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const answer = (status: Answer['status'], error: string, description: string): Answer => ({
  status,
  ...asJson({ error, error_description: description }),
})

function asJson(value: object): Pick<Answer, 'headers' | 'body'> {
  const body = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': `${Buffer.byteLength(body)}`,
  }
  return { headers, body }
}

/** The answer to a request that contradicts itself or cannot be read. */
export const notUnderstood = answer(400, 'invalid_request', 'The request could not be understood')
const failed = answer(500, 'server_error', 'The request could not be answered')

/** What Node's parser gives up on, by its code; anything else is not understood. */
const parserAnswers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: answer(431, 'invalid_request', 'The header fields are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: answer(408, 'invalid_request', 'The request took too long'),
}

/** The answer to an error of the server around the app: a bad target or host, or its own fault. */
export function answerToError(error: unknown): Response {
  const { status, headers, body } = error instanceof RequestError ? notUnderstood : failed
  return new Response(body, { status, headers })
}

/** Answers over the bare connection what Node's parser could not read, and ends it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Whoever has gone away is told nothing.
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, headers, body } = parserAnswers[error.code ?? ''] ?? notUnderstood
  const fields = { ...headers, connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/**
 * True when a request names more than one host, of which Node shows only the first.
 *
 * @see RFC 9112 section 3.2
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
