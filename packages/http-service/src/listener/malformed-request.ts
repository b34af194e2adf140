import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { RequestError } from '@hono/node-server'
import { type ErrorAnswer, errorAnswer, errorResponse } from '../error-answer.ts'

const malformed = errorAnswer(400, 'invalid_request', 'The request could not be understood')
const codingUnknown = errorAnswer(501, 'invalid_request', 'The transfer coding is not supported')
const failed = errorAnswer(500, 'server_error', 'The request could not be answered')

/** The answer to a field `Expect` other than `100-continue` (RFC 9110 section 10.1.1). */
export const expectationFailed = errorAnswer(
  417,
  'invalid_request',
  'The expectation is not supported',
)

/** The answer to `CONNECT`: the services are no proxies. */
export const tunnelRefused = errorAnswer(501, 'invalid_request', 'The method is not supported')

/** Answers to the error codes of Node's parser. Every other code means a malformed request. */
const parserAnswers: Readonly<Record<string, ErrorAnswer>> = {
  HPE_HEADER_OVERFLOW: errorAnswer(431, 'invalid_request', 'The header fields are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: errorAnswer(
    413,
    'invalid_request',
    'The chunk extensions are too large',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: errorAnswer(408, 'invalid_request', 'The request took too long'),
}

/** Answers an error between the socket and the app: a malformed target, or a fault of the service. */
export function responseToServerError(error: unknown): Response {
  return errorResponse(error instanceof RequestError ? malformed : failed)
}

/** Selects the answer to an error of Node's parser. */
export function answerToParserError({ code = '' }: NodeJS.ErrnoException): ErrorAnswer {
  return parserAnswers[code] ?? malformed
}

/** Writes an answer as HTTP/1.1, for a connection after an error of Node's parser. */
export function answerText({ status, headers, body }: ErrorAnswer): string {
  const fields = { ...headers, connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

// The URL of a request consists of the host and the target. Other characters are refused, so that
// no part of a host becomes a part of the path. The app sees the same path as a proxy before it.
const hostText = /^[A-Za-z0-9.\-_:[\]]+$/
const absoluteTarget = /^https?:\/\/[A-Za-z0-9.\-_:[\]]+(?:[/?]|$)/i

/**
 * Checks a request before the app receives it.
 *
 * @returns the answer to a malformed request; `undefined` when the app must answer
 * @see RFC 9112 sections 3.2 (one host) and 6.1 (transfer codings)
 */
export function refuseMalformed(request: IncomingMessage): ErrorAnswer | undefined {
  const { rawHeaders, headers, url = '' } = request
  if (url[0] !== '/' && !absoluteTarget.test(url)) return malformed
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    hosts += 1
    // Node's `headers` contains only the first of several hosts.
    if (hosts > 1 || !hostText.test(rawHeaders[index + 1] ?? '')) return malformed
  }
  const coding = headers['transfer-encoding']
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : codingUnknown
}
