import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { type HttpServer, listen, patience } from '../src/http-server.ts'

let server: HttpServer
const reached: string[] = []

before(async () => {
  server = await listen('127.0.0.1', 0)
  server.answerWith((request) => {
    reached.push(request.url)
    if (request.url.endsWith('/fails')) throw new Error('canary')
    return new Response('answered')
  })
})
after(() => server.stop())

/** Sends bytes as they are; resolves to everything that came back until the end. */
async function send(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(bytes, 'latin1')
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}

const request = (line: string, ...fields: string[]) =>
  [line, ...fields, 'Connection: close', '', ''].join('\r\n')

describe('what is no request', () => {
  const rows: [name: string, bytes: string, status: number, error: string][] = [
    ['two hosts', request('GET / HTTP/1.1', 'Host: a', 'Host: b'), 400, 'invalid_request'],
    [
      'the same host twice',
      request('GET / HTTP/1.1', 'host: a', 'HOST: a'),
      400,
      'invalid_request',
    ],
    ['a host that is none', request('GET / HTTP/1.1', 'Host: a b'), 400, 'invalid_request'],
    ['a host with a user', request('GET / HTTP/1.1', 'Host: user@a'), 400, 'invalid_request'],
    ['no host', request('GET / HTTP/1.1'), 400, 'invalid_request'],
    ...[
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
    ].map((host): [string, string, number, string] => [
      `the host ${host} (RS33)`,
      request('GET / HTTP/1.1', `Host: ${host}`),
      400,
      'invalid_request',
    ]),
    ...['http://é.é/metrics?xxx', 'http://u@a/', 'http:///a/b', 'https:a', 'ftp://a/', '*'].map(
      (target): [string, string, number, string] => [
        `the target ${target} (RS33)`,
        request(`GET ${target} HTTP/1.1`, 'Host: a'),
        400,
        'invalid_request',
      ],
    ),
    ...['gzip, chunked', 'identity, chunked', ',chunked', 'x\r\nTransfer-Encoding: chunked'].map(
      (coding): [string, string, number, string] => [
        `the transfer coding ${JSON.stringify(coding)}`,
        `${request('POST / HTTP/1.1', 'Host: a', `Transfer-Encoding: ${coding}`)}0\r\n\r\n`,
        501,
        'invalid_request',
      ],
    ),
    [
      'a backslash in the path',
      request('GET /api\\v1 HTTP/1.1', 'Host: a'),
      400,
      'invalid_request',
    ],
    ['a target that is none', request('GET x HTTP/1.1', 'Host: a'), 400, 'invalid_request'],
    ['no HTTP (CVE-2024-27982)', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['a space before the colon', request('GET / HTTP/1.1', 'Host : a'), 400, 'invalid_request'],
    ['a header without a colon', request('GET / HTTP/1.1', 'Host: a', 'x'), 400, 'invalid_request'],
    [
      'two lengths (CVE-2026-1525)',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'),
      400,
      'invalid_request',
    ],
    [
      'a length and chunks (CVE-2025-59139)',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'invalid_request',
    ],
    [
      '17 KB of fields',
      request('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(17_000)}`),
      431,
      'invalid_request',
    ],
  ]
  for (const [name, bytes, status, error] of rows) {
    it(`${name}: ${status}, as JSON, and the app is not asked`, async () => {
      reached.length = 0
      const { head, body } = await send(bytes)
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(head, /content-type: application\/json/i)
      assert.match(head, /cache-control: no-store/i)
      assert.match(head, /x-content-type-options: nosniff/i)
      assert.deepEqual(Object.keys(JSON.parse(body)), ['error', 'error_description'])
      assert.equal(JSON.parse(body).error, error)
      assert.deepEqual(reached, [])
    })
  }
})

describe('what is a request', () => {
  it('reaches the app', async () => {
    const { head, body } = await send(request('GET /hi HTTP/1.1', 'Host: a'))
    assert.match(head, /^HTTP\/1.1 200 /)
    assert.equal(body, 'answered')
  })

  it('may have a whole URL for its target, as from a proxy', async () => {
    await send(request('GET http://b/hi HTTP/1.1', 'Host: a'))
    assert.equal(reached.at(-1), 'http://b/hi')
  })

  it('that fails in a way that nobody expected is 500, and tells nothing', async () => {
    const { head, body } = await send(request('GET /fails HTTP/1.1', 'Host: a'))
    assert.match(head, /^HTTP\/1.1 500 /)
    assert.deepEqual(JSON.parse(body), {
      error: 'server_error',
      error_description: 'The request could not be answered',
    })
  })
})

describe('a request that is sent in part', () => {
  const timeouts = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20 }
  const rows: [name: string, bytes: string, afterMs: number][] = [
    ['its header', 'GET / HTTP/1.1\r\nHost: a\r\n', timeouts.headersTimeout],
    [
      'its body',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
      timeouts.requestTimeout,
    ],
  ]
  for (const [name, bytes, afterMs] of rows) {
    it(`waits for the rest of ${name} no longer than it may, and is answered 408`, async () => {
      const impatient = await listen('127.0.0.1', 0, timeouts)
      impatient.answerWith(async (request) => new Response(await request.text()))
      const socket = connect(Number(new URL(impatient.url).port), '127.0.0.1')
      const startMs = performance.now()
      socket.write(bytes)
      assert.match(await text(socket), /^HTTP\/1\.1 408 /)
      const tookMs = performance.now() - startMs
      assert.ok(tookMs >= afterMs && tookMs < afterMs + 2000, `${tookMs}`)
      await impatient.stop()
    })
  }

  it('has 10 s for its header and 30 s for all of it, which is looked at every second', () => {
    assert.deepEqual(patience, {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1000,
    })
  })
})
