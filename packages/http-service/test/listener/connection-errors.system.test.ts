import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Listener, listen } from '../../src/listener/listener.ts'

let listener: Listener
let release: () => void

/** Sends segments one after the other; returns the status lines and bodies of the answers. */
async function send(...segments: string[]): Promise<string[]> {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
  const whole = text(socket)
  const [first = '', ...rest] = segments
  socket.write(first)
  for (const segment of rest) {
    if (segment === releasing) release()
    else {
      await new Promise((resolve) => socket.once('data', resolve))
      socket.write(segment)
    }
  }
  return (await whole).match(/HTTP\/1\.1 \d+|answer to \S+?(?=HTTP|$)/g) ?? []
}

const releasing = 'release the slow answer'
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
const garbage = 'no request\r\n\r\n'
const ok = (path: string) => ['HTTP/1.1 200', `answer to ${path}`]

describe('malformed bytes after requests', () => {
  beforeEach(async () => {
    listener = await listen('127.0.0.1', 0)
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    listener.answerWith((request) => {
      const { pathname } = new URL(request.url)
      const response = new Response(`answer to ${pathname}`)
      if (pathname === '/slow') return released.then(() => response)
      if (pathname === '/body') return request.text().then(() => response)
      return response
    })
  })
  afterEach(() => listener.stop())

  const rows: [name: string, segments: string[], expected: string[]][] = [
    ['no request before them', [garbage], ['HTTP/1.1 400']],
    [
      'three requests in the same segment',
      [get('/1') + get('/2') + get('/3') + garbage],
      [...ok('/1'), ...ok('/2'), ...ok('/3'), 'HTTP/1.1 400'],
    ],
    [
      'a request without a response yet',
      [get('/slow') + garbage, releasing],
      [...ok('/slow'), 'HTTP/1.1 400'],
    ],
    [
      'several requests without a response to the first yet',
      [get('/slow') + get('/2') + post('/body', 'zz\r\n'), releasing],
      [...ok('/slow'), ...ok('/2'), 'HTTP/1.1 400'],
    ],
    ['a body that the app reads', [post('/body', 'zz\r\n')], ['HTTP/1.1 400']],
  ]
  for (const [name, segments, expected] of rows) {
    it(`are refused after the responses to earlier requests: ${name}`, async () => {
      assert.deepEqual((await send(...segments)).join(), expected.join())
    })
  }

  it('get no second response if the app responded before the body broke off', async () => {
    const answers = await send(post('/early', '5\r\n'), 'hello zz\r\nzz\r\n')
    assert.deepEqual(answers, ok('/early'))
  })

  it('are refused only once if further segments follow', async () => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
    socket.write(get('/slow') + garbage)
    for (let segment = 0; segment < 3; segment++) {
      await new Promise((resolve) => setImmediate(resolve))
      socket.write(garbage)
    }
    await sleep(20)
    release()
    assert.equal((await text(socket)).match(/HTTP\/1\.1 400/g)?.length, 1)
  })

  it('do not keep a half-open connection alive', async () => {
    const { port } = new URL(listener.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.write(garbage)
    assert.match(await text(socket), /^HTTP\/1\.1 400 /)
    const startMs = performance.now()
    // Stopping waits for connections.
    await listener.stop()
    assert.ok(performance.now() - startMs < 5000)
    socket.destroy()
    listener = await listen('127.0.0.1', 0)
  })
})

describe('a tunnel', () => {
  const tunnel = 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'
  const open = () => connect(Number(new URL(listener.url).port), '127.0.0.1')

  beforeEach(async () => {
    listener = await listen('127.0.0.1', 0)
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    listener.answerWith(({ url }) => released.then(() => new Response(new URL(url).pathname)))
  })
  afterEach(() => listener.stop())

  it('is refused after the responses to earlier requests', async () => {
    const socket = open()
    const whole = text(socket)
    socket.write(get('/slow') + tunnel)
    await sleep(20)
    release()
    assert.deepEqual((await whole).match(/HTTP\/1\.1 \d+|\/slow/g), [
      ...['HTTP/1.1 200', '/slow', 'HTTP/1.1 501'],
    ])
  })

  for (const before of ['', get('/')]) {
    it(`may be reset ${before === '' ? 'without' : 'behind'} an earlier request, and the process continues`, async () => {
      const child = fork(join(import.meta.dirname, 'listener-process.ts'), ['http'], {
        execArgv: [],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      const exited = once(child, 'exit')
      const [url] = await once(child, 'message')
      const port = Number(new URL(url).port)
      const socket = connect(port, '127.0.0.1')
      socket.write(`${before}${tunnel}more`)
      await once(socket, 'data')
      socket.resetAndDestroy()
      const other = connect(port, '127.0.0.1').on('error', () => {})
      other.write(get('/'))
      assert.match(String((await Promise.race([once(other, 'data'), exited]))[0]), /^HTTP/)
      other.destroy()
      child.disconnect()
      await exited
    })
  }

  it('is closed if the client never closes it', async () => {
    const socket = connect({
      port: Number(new URL(listener.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    })
    socket.write(tunnel)
    await text(socket)
    // The server has ended its side. It only frees the connection when it destroys it.
    const closed = once(socket, 'error')
    const writes = setInterval(() => socket.write('x'), 50)
    await closed
    clearInterval(writes)
  })
})
