import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Listener, listen } from '../src/listener.ts'

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
    ['nothing', [garbage], ['HTTP/1.1 400']],
    [
      'three requests in the same segment',
      [get('/1') + get('/2') + get('/3') + garbage],
      [...ok('/1'), ...ok('/2'), ...ok('/3'), 'HTTP/1.1 400'],
    ],
    [
      'a request that has no answer yet',
      [get('/slow') + garbage, releasing],
      [...ok('/slow'), 'HTTP/1.1 400'],
    ],
    [
      'requests, and the first one has no answer yet',
      [get('/slow') + get('/2') + post('/body', 'zz\r\n'), releasing],
      [...ok('/slow'), ...ok('/2'), 'HTTP/1.1 400'],
    ],
    ['a body that the app reads', [post('/body', 'zz\r\n')], ['HTTP/1.1 400']],
  ]
  for (const [name, segments, expected] of rows) {
    it(`are refused after the answers to the requests: ${name}`, async () => {
      assert.deepEqual((await send(...segments)).join(), expected.join())
    })
  }

  it('get no second answer when the app answered before the body broke', async () => {
    const answers = await send(post('/early', '5\r\n'), 'hello zz\r\nzz\r\n')
    assert.deepEqual(answers, ok('/early'))
  })

  it('are refused once when further segments follow', async () => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
    socket.write(get('/slow') + garbage)
    for (let segment = 0; segment < 3; segment++) {
      await new Promise((resolve) => setImmediate(resolve))
      socket.write(garbage)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    release()
    assert.equal((await text(socket)).match(/HTTP\/1\.1 400/g)?.length, 1)
  })

  it('do not keep a connection that the client leaves half open', async () => {
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
