import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { type Listener, listen } from '../src/listener.ts'
import { maxWaitingRequests } from '../src/pipeline.ts'
import { pipelineOf, sendRaw } from './raw-http.ts'

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

describe('requests of a pipeline', () => {
  it('are answered one after the other, in their order', async () => {
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

  it('are not answered when the client resets the connection before their turn', async () => {
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

  it('end the connection when more than the limit wait', async () => {
    const { listener, begun } = await startHeld()
    assert.equal(await sendRaw(listener.url, pipelineOf(maxWaitingRequests + 2)), '')
    assert.deepEqual(begun, ['/0'])
    await listener.stop()
  })

  it('are all answered up to the limit', async () => {
    const listener = await listen('127.0.0.1', 0)
    listener.answerWith(() => new Response('here'))
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answers = await sendRaw(listener.url, pipelineOf(maxWaitingRequests) + last)
    assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, maxWaitingRequests + 1)
    await listener.stop()
  })
})
