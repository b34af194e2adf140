import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rawRequest, sendRaw } from './raw-http.ts'

/** Bytes that a client may send, with the status of the error answer. */
export type ErrorRequest = {
  readonly name: string
  readonly bytes: string
  readonly status: number
}

const get = (name: string, ...fields: string[]): ErrorRequest => ({
  name,
  bytes: rawRequest('GET / HTTP/1.1', ...fields),
  status: 400,
})
const post = (name: string, ...fields: string[]): ErrorRequest => ({
  name,
  bytes: rawRequest('POST / HTTP/1.1', 'Host: a', ...fields),
  status: 400,
})
const target = (name: string, text: string): ErrorRequest => ({
  name,
  bytes: rawRequest(`GET ${text} HTTP/1.1`, 'Host: a'),
  status: 400,
})

const hosts = [
  'é.é/metrics?xxx',
  'é',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
  'a%2fb',
  'a@b',
  'a,b',
  '[::1]/b',
  '~',
]
const targets = ['http://é.é/metrics?xxx', 'http://u@a/', 'http:///a/b', 'https:a', 'ftp://a/', '*']
const codings = [
  'gzip, chunked',
  'identity, chunked',
  ',chunked',
  'x\r\nTransfer-Encoding: chunked',
]

/** Malformed requests, which no app may receive. */
export const malformedRequests: readonly ErrorRequest[] = [
  get('two hosts (AS35)', 'Host: a', 'Host: b'),
  get('the same host twice', 'host: a', 'HOST: a'),
  get('a space in the host', 'Host: a b'),
  get('a host with a user', 'Host: user@a'),
  get('no host (AS35)'),
  ...hosts.map((host) => get(`the host ${host} (RS33, AS35)`, `Host: ${host}`)),
  ...targets.map((text) => target(`the target ${text} (RS33, AS35)`, text)),
  ...codings.map((coding): ErrorRequest => {
    const { bytes } = post('', `Transfer-Encoding: ${coding}`)
    const name = `the transfer coding ${JSON.stringify(coding)}`
    return { name, bytes: `${bytes}0\r\n\r\n`, status: 501 }
  }),
  target('a backslash in the path', '/api\\v1'),
  target('a target without a slash', 'x'),
  { name: 'no HTTP (CVE-2024-27982)', bytes: 'hello\r\n\r\n', status: 400 },
  { name: 'an unknown method', bytes: rawRequest('FOO / HTTP/1.1', 'Host: a'), status: 400 },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 400 },
  { name: 'CONNECT', bytes: rawRequest('CONNECT a:1 HTTP/1.1', 'Host: a'), status: 501 },
  { ...get('an unknown expectation', 'Host: a', 'Expect: magic'), status: 417 },
  get('a space before the colon', 'Host : a'),
  get('a header without a colon', 'Host: a', 'x'),
  post('two lengths (CVE-2026-1525)', 'Content-Length: 1', 'Content-Length: 2'),
  post('a length and chunks (CVE-2025-59139)', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
  { ...get('17 KB of header fields', 'Host: a', `X: ${'x'.repeat(17_000)}`), status: 431 },
  { ...get('20 KB of header fields', 'Host: a', `X: ${'x'.repeat(20_000)}`), status: 431 },
]

/** Asserts that an error answer is JSON that no cache keeps and no browser reinterprets. */
export function assertErrorAnswer(answer: string, status: number): Record<string, unknown> {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
  assert.match(head, /^content-type: application\/json(;|\r?$)/im)
  assert.match(head, /^cache-control: no-store\b/im)
  assert.match(head, /^x-content-type-options: nosniff\r?$/im)
  const json = JSON.parse(body.replace(/^[0-9a-f]+\r\n/, '').replace(/\r\n0$/, ''))
  assert.ok(json.error, body)
  return json
}

/**
 * Tests the error answers of a service: to malformed requests, and to the requests of the service.
 *
 * @param start starts the service at a free port
 */
export function testErrorAnswers(
  start: () => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>,
  requests: readonly ErrorRequest[],
): void {
  let service: Awaited<ReturnType<typeof start>>
  before(async () => {
    service = await start()
  })
  after(() => service.stop())

  describe('to a malformed request', () => {
    for (const { name, bytes, status } of malformedRequests) {
      it(`has status ${status} and a JSON body: ${name}`, async () => {
        const json = assertErrorAnswer(await sendRaw(service.url, bytes), status)
        assert.deepEqual(Object.keys(json), ['error', 'error_description'])
        assert.equal(json.error, 'invalid_request')
      })
    }
  })

  describe('to a refused request', () => {
    for (const { name, bytes, status } of requests) {
      it(`has status ${status} and a JSON body: ${name}`, async () => {
        assertErrorAnswer(await sendRaw(service.url, bytes), status)
      })
    }
  })
}
