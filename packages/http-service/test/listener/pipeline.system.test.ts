import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { type Listener, listen } from '../../src/listener/listener.ts'
import { pipelineOf, rawRequest, sendRaw } from '../raw-http.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A listener whose answers wait until they are released, one by one. */
async function startHeld() {
  const listener = await listen('127.0.0.1', 0)
  const begun: string[] = []
  const releases: (() => void)[] = []
  const arrived = new EventTarget()
  listener.answerWith(async (request) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push(new URL(request.url).pathname)
    releases.push(resolve)
    arrived.dispatchEvent(new Event('request'))
    await promise
    return new Response(request.url, { headers: { connection: 'keep-alive' } })
  })
  const nextRequest = () =>
    new Promise((resolve) => arrived.addEventListener('request', resolve, { once: true }))
  return { listener, begun, releases, nextRequest }
}

const open = (listener: Listener) => connect(Number(new URL(listener.url).port), '127.0.0.1')

describe('pipelined requests', () => {
  it('get their responses one by one, in order', async () => {
    const { listener, begun, releases, nextRequest } = await startHeld()
    const socket = open(listener).setEncoding('latin1')
    let answers = ''
    socket.on('data', (text) => {
      answers += text
    })
    const first = nextRequest()
    socket.write(pipelineOf(3))
    await first
    await turn()
    assert.deepEqual(begun, ['/0'])
    for (const expected of [
      ['/0', '/1'],
      ['/0', '/1', '/2'],
    ]) {
      const next = nextRequest()
      releases.at(-1)?.()
      await next
      assert.deepEqual(begun, expected)
    }
    releases.at(-1)?.()
    while (!answers.includes('/2')) await once(socket, 'data')
    assert.deepEqual(answers.match(/http:\/\/a\/\d/g), ['http://a/0', 'http://a/1', 'http://a/2'])
    socket.destroy()
    await listener.stop()
  })

  it('get no response if the client resets the connection before their turn', async () => {
    const listener = await listen('127.0.0.1', 0)
    const begun: string[] = []
    const { promise: reset, resolve } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    listener.answerWith(async ({ url, signal }) => {
      begun.push(new URL(url).pathname)
      signal.addEventListener('abort', () => resolve())
      arrive()
      await reset
      return new Response()
    })
    const socket = open(listener)
    socket.write(pipelineOf(3))
    await arrived
    socket.resetAndDestroy()
    await reset
    await listener.stop()
    assert.deepEqual(begun, ['/0'])
  })

  it('are not parsed while one of them waits', async () => {
    const { listener, begun, nextRequest } = await startHeld()
    let parsed = 0
    const count = () => {
      parsed += 1
    }
    subscribe('http.server.request.start', count)
    const socket = open(listener)
    const first = nextRequest()
    socket.write(pipelineOf(1500))
    await first
    await turn()
    unsubscribe('http.server.request.start', count)
    assert.deepEqual([begun, parsed], [['/0'], 2])
    socket.resetAndDestroy()
    await listener.stop()
  })

  it('get no response after a response that closes the connection', async () => {
    const listener = await listen('127.0.0.1', 0)
    const begun: string[] = []
    listener.answerWith(async ({ url }) => {
      begun.push(new URL(url).pathname)
      await turn()
      return new Response('', { headers: { connection: 'close' } })
    })
    const answers = await sendRaw(listener.url, pipelineOf(3))
    assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, 1)
    await listener.stop()
    assert.deepEqual(begun, ['/0'])
  })

  const last = rawRequest('GET /last HTTP/1.1', 'Host: a')
  const bodies = {
    'a body of known length': 'Content-Length: 5\r\n\r\nhello',
    'a chunked body': 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'an empty body': 'Content-Length: 0\r\n\r\n',
    'a body after 100 Continue': 'Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello',
  }
  for (const [name, body] of Object.entries(bodies)) {
    for (const segmentBytes of [1_000_000, 7]) {
      it(`all get responses: 300 with ${name}, in segments of ${segmentBytes} B`, async () => {
        const listener = await listen('127.0.0.1', 0)
        listener.answerWith(async (request) => new Response(`<${await request.text()}>`))
        const bytes = `POST / HTTP/1.1\r\nHost: a\r\n${body}`.repeat(300) + last
        const socket = open(listener).setNoDelay().setEncoding('latin1')
        let answers = ''
        socket.on('data', (text) => {
          answers += text
        })
        for (let start = 0; start < bytes.length; start += segmentBytes) {
          socket.write(bytes.slice(start, start + segmentBytes))
          if (segmentBytes < 10 && start % 700 === 0) await turn()
        }
        await once(socket, 'close')
        const expected = body.endsWith('hello') || body.includes('5\r\n') ? '<hello>' : '<>'
        assert.equal(answers.match(/<.*?>/g)?.join(), `${`${expected},`.repeat(300)}<>`)
        await listener.stop()
      })
    }
  }

  for (const [name, fields, answer] of [
    ['no body', '\r\n', '<>'],
    ['a body', 'Content-Length: 5\r\n\r\nhello', '<hello>'],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', '<hello>'],
  ] as const) {
    it(`may request another protocol with ${name}, which makes the response the last one`, async () => {
      const listener = await listen('127.0.0.1', 0)
      listener.answerWith(async (request) => {
        await turn()
        return new Response(`<${await request.text()}>`)
      })
      const upgrade = `POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${fields}`
      const answers = await sendRaw(listener.url, `${pipelineOf(1)}${upgrade}${pipelineOf(2)}`)
      assert.deepEqual(answers.match(/<.*?>|Connection: close/g), [
        ...['<>', 'Connection: close', answer],
      ])
      await listener.stop()
    })
  }

  for (const [rest, expected] of [
    ['lo', '200'],
    ['', '408'],
  ] as const) {
    it(`may wait longer than the request time limit: ${expected} if the body ${rest ? 'arrives' : 'does not arrive'}`, async () => {
      const timeouts = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 10 }
      const listener = await listen('127.0.0.1', 0, timeouts)
      listener.answerWith(async (request) => {
        if (request.method === 'GET') await setTimeout(300)
        return new Response(await request.text())
      })
      const post = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhel${rest}`
      const answers = await sendRaw(listener.url, `${pipelineOf(1)}${post}`)
      assert.deepEqual(answers.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', expected])
      await listener.stop()
    })
  }

  it('give other connections their turns', async () => {
    const listener = await listen('127.0.0.1', 0)
    const begun: string[] = []
    listener.answerWith(async ({ url }) => {
      begun.push(new URL(url).pathname)
      return new Response('here')
    })
    const [long, other] = [open(listener).resume(), open(listener).resume()]
    await Promise.all([once(long, 'connect'), once(other, 'connect')])
    long.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`.repeat(1000))
    other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n')
    while (!begun.includes('/other')) await turn()
    assert.ok(begun.indexOf('/other') < 500, `${begun.indexOf('/other')}`)
    for (const socket of [long, other]) socket.destroy()
    await listener.stop()
  })
})

describe('a process with a heap of 32 MB and 150 connections with 1,500 requests each', () => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n'
  const rows: [name: string, scheme: string, request: string, behind: string][] = [
    ['without a body', 'http', `${get}\r\n`, ''],
    ['without a body, over TLS', 'https', `${get}\r\n`, ''],
    ['with a body', 'http', `${get}Content-Length: 5\r\n\r\nhello`, ''],
    ['with garbage after them', 'http', `${get}\r\n`, '\0'.repeat(50_000)],
    ['with an Expect header', 'http', `${get}Expect: more\r\n\r\n`, ''],
  ]
  for (const [name, scheme, request, behind] of rows) {
    for (const isRead of [false, true]) {
      it(`serves other clients: requests ${name}, with responses that are ${isRead ? '' : 'not '}read`, async () => {
        const child = fork(join(import.meta.dirname, 'listener-process.ts'), [scheme], {
          execArgv: ['--max-old-space-size=32'],
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        })
        const exited = once(child, 'exit')
        const orEnd = <Value>(event: Promise<Value>) =>
          Promise.race([event, exited.then(() => assert.fail('the process has ended'))])
        const [url] = await orEnd(once(child, 'message'))
        const port = Number(new URL(url).port)
        const connectOne = async () => {
          const isSecure = scheme === 'https'
          const socket = isSecure
            ? connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
            : connect(port, '127.0.0.1')
          await once(socket, isSecure ? 'secureConnect' : 'connect')
          return socket.on('error', () => {})
        }
        const sockets = await Promise.all(Array.from({ length: 150 }, connectOne))
        // A stopped process reads all connections at the same time when it continues.
        child.kill('SIGSTOP')
        for (const socket of sockets) {
          if (isRead) socket.resume()
          socket.write(request.repeat(1500) + behind)
        }
        await setTimeout(50)
        child.kill('SIGCONT')
        const other = await orEnd(connectOne())
        other.write(`${get}\r\n`)
        const [answer] = await orEnd(once(other, 'data'))
        assert.match(String(answer), /^HTTP\/1\.1 200 /)
        for (const socket of [...sockets, other]) socket.destroy()
        child.disconnect()
        assert.deepEqual(await exited, [0, null])
      })
    }
  }
})
