import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { Agent } from 'node:http'
import { get } from 'node:https'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { local } from '../../../../test/fixtures/tls-identities.ts'
import { limits, listen, listenSecurely } from '../../src/listener/listener.ts'
import { getFrom, pipelineOf, sendRaw } from '../raw-http.ts'

describe('a listener', () => {
  it('responds with 503 as JSON until it has an app', async () => {
    const listener = await listen('127.0.0.1', 0)
    const early = await getFrom(listener.url)
    assert.equal(early.statusCode, 503)
    assert.equal(early.headers['retry-after'], '1')
    assert.equal(early.headers['cache-control'], 'no-store')
    assert.equal(early.headers['x-content-type-options'], 'nosniff')
    assert.equal(JSON.parse(early.body).error, 'temporarily_unavailable')
    listener.answerWith(() => new Response('here'))
    assert.equal((await getFrom(listener.url)).body, 'here')
    await listener.stop()
  })

  it('reports its actual address', async () => {
    const listener = await listen('127.0.0.1', 0)
    assert.match(listener.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    await listener.stop()
  })

  it('listens on IPv4 and IPv6 when its address is ::', async () => {
    const listener = await listen('::', 0)
    listener.answerWith(() => new Response('here'))
    assert.match(listener.url, /^http:\/\/\[::\]:/)
    for (const host of ['127.0.0.1', '[::1]'])
      assert.equal((await getFrom(listener.url.replace('[::]', host))).body, 'here')
    await listener.stop()
  })

  const identity = { certificate: local.cert, key: local.key }
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  )
  const secureGet = (host: string, port: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { host, port, rejectUnauthorized: false, agent: false }
      get(options, (answer) => text(answer).then(resolve, reject)).on('error', reject)
    })

  it('serves HTTPS at both localhost addresses, and stops while each has a request', async () => {
    const listener = await listenSecurely('127.0.0.1', 0, identity)
    const { hostname, port } = new URL(listener.url)
    assert.equal(hostname, 'localhost')
    const arrived = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    let count = 0
    const hosts = ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]
    listener.answerWith(async () => {
      count += 1
      if (count === hosts.length) arrived.resolve()
      await held.promise
      return new Response('here')
    })
    const answers = hosts.map((host) => secureGet(host, port))
    await arrived.promise
    const stopped = listener.stop()
    held.resolve()
    for (const answer of answers) assert.equal(await answer, 'here')
    await stopped
    for (const host of hosts) await assert.rejects(secureGet(host, port), { code: 'ECONNREFUSED' })
  })

  it('throws if another program uses its port at the other localhost address', async () => {
    if (!hasIpv6) return
    const other = await listen('::1', 0)
    const { port } = new URL(other.url)
    await assert.rejects(listenSecurely('127.0.0.1', Number(port), identity), {
      code: 'EADDRINUSE',
    })
    await other.stop()
    await (await listenSecurely('127.0.0.1', Number(port), identity)).stop()
  })

  it('throws an error with a code if the port is in use', async () => {
    const first = await listen('127.0.0.1', 0)
    const { port } = new URL(first.url)
    await assert.rejects(listen('127.0.0.1', Number(port)), { code: 'EADDRINUSE' })
    await first.stop()
  })

  it('shares its port on request, and leaves it to the other listener when it stops', async () => {
    const first = await listen('127.0.0.1', 0, { reusePort: true })
    const { port } = new URL(first.url)
    const second = await listen('127.0.0.1', Number(port), { reusePort: true })
    first.answerWith(() => new Response('first'))
    second.answerWith(() => new Response('second'))
    const once = new Agent({ keepAlive: false })
    const seen = new Set<string>()
    // The system chooses by the port of the client, which each connection has anew.
    for (let calls = 0; calls < 500 && seen.size < 2; calls += 1)
      seen.add((await getFrom(first.url, once)).body)
    assert.deepEqual([...seen].toSorted(), ['first', 'second'])
    await first.stop()
    for (let calls = 0; calls < 20; calls += 1)
      assert.equal((await getFrom(second.url, once)).body, 'second')
    await second.stop()
  })

  const timeouts = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20 }
  const late: [name: string, bytes: string, afterMs: number][] = [
    ['header', 'GET / HTTP/1.1\r\nHost: a\r\n', timeouts.headersTimeout],
    ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx', timeouts.requestTimeout],
  ]
  for (const [name, bytes, afterMs] of late) {
    it(`responds with 408 if the ${name} is not complete in time`, async () => {
      const listener = await listen('127.0.0.1', 0, timeouts)
      listener.answerWith(async (request) => new Response(await request.text()))
      const startMs = performance.now()
      const answer = await sendRaw(listener.url, bytes)
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.match(answer, /^cache-control: no-store\r$/im)
      const tookMs = performance.now() - startMs
      assert.ok(tookMs >= afterMs, `${tookMs}`)
      await listener.stop()
    })
  }

  for (const [scheme, open] of [
    ['http', () => listen('127.0.0.1', 0)],
    ['https', () => listenSecurely('127.0.0.1', 0, identity)],
  ] as const)
    it(`with ${scheme} wakes up every second only while connections are open`, async () => {
      const timers = new Set<{ _idleTimeout: number; _repeat: number | null }>()
      const hook = createHook({
        init: (_id, type, _trigger, timer) => {
          if (type === 'Timeout') timers.add(timer as never)
        },
      }).enable()
      // A cleared interval has -1.
      const seconds = () =>
        [...timers]
          .filter((one) => one._repeat !== null && one._idleTimeout > 0)
          .map((one) => Math.round(one._idleTimeout / 1000))
      const days = Math.round((2 ** 31 - 1) / 1000)
      const listener = await open()
      assert.deepEqual(seconds(), [days])
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
      while (seconds()[0] !== 1) await setImmediate()
      assert.deepEqual(seconds(), [1])
      socket.destroy()
      while (seconds()[0] === 1) await setImmediate()
      assert.deepEqual(seconds(), [days])
      hook.disable()
      await listener.stop()
    })

  it('announces the keep-alive time, and then closes an idle connection', async () => {
    const listener = await listen('127.0.0.1', 0, { keepAliveTimeout: 1000 })
    listener.answerWith(() => new Response('here'))
    const agent = new Agent({ keepAlive: true })
    const { headers } = await getFrom(listener.url, agent)
    assert.equal(headers['keep-alive'], 'timeout=1')
    agent.destroy()
    await listener.stop()
  })

  it('closes a connection after its last permitted request, with `Connection: close`', async () => {
    const listener = await listen('127.0.0.1', 0, { maxRequestsPerConnection: 2 })
    listener.answerWith(() => new Response('here'))
    const answers = await sendRaw(listener.url, pipelineOf(3))
    assert.deepEqual(answers.match(/Connection: [a-z-]+/g), [
      'Connection: keep-alive',
      'Connection: close',
    ])
    await listener.stop()
  })

  it('applies the limits in the settings', () => {
    assert.deepEqual(limits, {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      maxRequestsPerConnection: 10_000,
      connectionsCheckingInterval: 1000,
    })
  })
})
