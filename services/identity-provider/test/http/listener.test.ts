import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { listen } from '../../src/http/listener.ts'

async function ask(url: string, agent?: Agent): Promise<IncomingMessage & { body: string }> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}

async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(bytes)
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

  const requests: [string, string][] = [
    ['a host that is none', 'GET / HTTP/1.1\r\nhost: a b\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a header without an end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
  ]
  for (const [what, bytes] of requests) {
    it(`answers ${what} with a refusal, and lives on`, async () => {
      const listener = await listen('127.0.0.1', 0)
      listener.answerWith(() => new Response('here'))
      assert.match(await raw(listener.url, bytes), /^HTTP\/1\.1 4\d\d /)
      assert.equal((await ask(listener.url)).body, 'here')
      await listener.stop()
    })
  }
})
