import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { listen, patience } from '../../src/http/listener.ts'

async function ask(url: string, agent?: Agent): Promise<IncomingMessage & { body: string }> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}

async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(bytes, 'latin1')
  return text(socket)
}

describe('a listener', () => {
  it('answers 503 until it is told what to answer', async () => {
    const listener = await listen('127.0.0.1', 0)
    const early = await ask(listener.url)
    assert.equal(early.statusCode, 503)
    assert.equal(early.headers['retry-after'], '1')
    listener.answerWith(() => new Response('here'))
    assert.equal((await ask(listener.url)).body, 'here')
    await listener.stop()
  })

  it('says at which address it really listens', async () => {
    const listener = await listen('127.0.0.1', 0)
    assert.match(listener.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    await listener.stop()
  })

  it('finishes what is in hand when it stops, and closes connections that idle', async () => {
    const listener = await listen('127.0.0.1', 0)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    listener.answerWith(async () => {
      begun.resolve()
      await release.promise
      return new Response('finished')
    })
    const agent = new Agent({ keepAlive: true })
    const answer = ask(listener.url, agent)
    await begun.promise
    const stopped = listener.stop()
    release.resolve()
    const { body, headers } = await answer
    assert.equal(body, 'finished')
    assert.equal(headers.connection, 'close')
    await stopped
    agent.destroy()
    await assert.rejects(ask(listener.url))
  })

  it('throws, by its code, when the port is taken', async () => {
    const first = await listen('127.0.0.1', 0)
    const { port } = new URL(first.url)
    await assert.rejects(listen('127.0.0.1', Number(port)), { code: 'EADDRINUSE' })
    await first.stop()
  })

  const notUnderstood = ['é.é/metrics?xxx', 'é', 'a b', 'a/b', 'a?b', 'a#b', 'a\\b', 'a@b', 'a,b']
  const codings = [
    'gzip, chunked',
    'identity, chunked',
    ',chunked',
    'x\r\nTransfer-Encoding: chunked',
  ]
  const requests: [what: string, bytes: string, status: number][] = [
    ...notUnderstood.map((host): [string, string, number] => [
      `the host ${host} (AS35)`,
      `GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
      400,
    ]),
    ['two hosts (AS35)', 'GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n', 400],
    ['no host (AS35)', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a target with a user (AS35)', 'GET http://u@a/ HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['a target without a host (AS35)', 'GET http:///a HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks (CVE-2025-59139)',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    [
      'a header without an end',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ...codings.map((coding): [string, string, number] => [
      `the transfer coding ${JSON.stringify(coding)}`,
      `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      501,
    ]),
  ]
  for (const [what, bytes, status] of requests) {
    it(`answers ${what} with ${status}, as JSON that nobody keeps, and lives on`, async () => {
      const listener = await listen('127.0.0.1', 0)
      let reached = 0
      listener.answerWith(() => {
        reached += 1
        return new Response('here')
      })
      const [head = '', body = ''] = (await raw(listener.url, bytes)).split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(head, /^content-type: application\/json\r$/im)
      assert.match(head, /^cache-control: no-store\r$/im)
      assert.match(head, /^x-content-type-options: nosniff\r$/im)
      assert.deepEqual(Object.keys(JSON.parse(body)), ['error', 'error_description'])
      assert.equal(reached, 0)
      assert.equal((await ask(listener.url)).body, 'here')
      await listener.stop()
    })
  }

  const timeouts = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20 }
  const late: [name: string, bytes: string, afterMs: number][] = [
    ['its header', 'GET / HTTP/1.1\r\nHost: a\r\n', timeouts.headersTimeout],
    [
      'its body',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
      timeouts.requestTimeout,
    ],
  ]
  for (const [name, bytes, afterMs] of late) {
    it(`waits for the rest of ${name} no longer than it may, and answers 408`, async () => {
      const listener = await listen('127.0.0.1', 0, timeouts)
      listener.answerWith(async (request) => new Response(await request.text()))
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
      const startMs = performance.now()
      socket.write(bytes)
      assert.match(await text(socket), /^HTTP\/1\.1 408 /)
      const tookMs = performance.now() - startMs
      assert.ok(tookMs >= afterMs && tookMs < afterMs + 2000, `${tookMs}`)
      await listener.stop()
    })
  }

  it('gives 10 s for a header and 30 s for a request, and looks every second', () => {
    assert.deepEqual(patience, {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1000,
    })
  })
})
