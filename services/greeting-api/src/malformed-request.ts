import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { RequestError } from '@hono/node-server'

/** What is sent to whoever sends something that is no request, before any app is asked. */
export type Answer = {
  readonly status: 400 | 408 | 431 | 500 | 501
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
const notUnderstood = answer(400, 'invalid_request', 'The request could not be understood')
const codingUnknown = answer(501, 'invalid_request', 'The transfer coding is not supported')
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

/** The answer to what Node's parser could not read, as it goes over the bare connection. */
export function parserAnswerText({ code = '' }: NodeJS.ErrnoException): string {
  const { status, headers, body } = parserAnswers[code] ?? notUnderstood
  const fields = { ...headers, connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

// A URL is made of the host and the target. No other character is let in, so that neither can
// reach into the other: the app sees the path that a proxy in front saw.
const hostText = /^[A-Za-z0-9.\-_:[\]]+$/
const absoluteTarget = /^https?:\/\/[A-Za-z0-9.\-_:[\]]+(?:[/?]|$)/i

/**
 * What a request is answered with before the app is asked; undefined when the app may answer.
 *
 * @see RFC 9112 sections 3.2 (one host) and 6.1 (transfer codings)
 */
export function refusalOf({ rawHeaders, headers, url = '' }: IncomingMessage): Answer | undefined {
  if (url[0] !== '/' && !absoluteTarget.test(url)) return notUnderstood
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    hosts += 1
    // Of several hosts Node shows only the first.
    if (hosts > 1 || !hostText.test(rawHeaders[index + 1] ?? '')) return notUnderstood
  }
  const coding = headers['transfer-encoding']
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : codingUnknown
}
