import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { listen } from '../../src/listener/listener.ts'
import { getFrom } from '../raw-http.ts'

describe('a listener that is stopping', () => {
  it('responds to current requests, and closes idle connections', async () => {
    const listener = await listen('127.0.0.1', 0)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    listener.answerWith(async () => {
      begun.resolve()
      await release.promise
      return new Response('finished')
    })
    const agent = new Agent({ keepAlive: true })
    const answer = getFrom(listener.url, agent)
    await begun.promise
    const stopped = listener.stop()
    release.resolve()
    const { body, headers } = await answer
    assert.equal(body, 'finished')
    assert.equal(headers.connection, 'close')
    await stopped
    agent.destroy()
    await assert.rejects(getFrom(listener.url))
  })

  it('announces the stop in each response, and accepts connections until the delay has passed', async () => {
    const listener = await listen('127.0.0.1', 0)
    listener.answerWith(() => new Response('here'))
    const agent = new Agent({ keepAlive: true })
    assert.equal((await getFrom(listener.url, agent)).headers.connection, 'keep-alive')
    const stopped = listener.stop({ delayMs: 1000 })
    for (let request = 0; request < 3; request += 1) {
      assert.equal((await getFrom(listener.url, agent)).headers.connection, 'close')
    }
    await stopped
    agent.destroy()
    await assert.rejects(getFrom(listener.url))
  })

  it('keeps idle connections open for the grace period, and responds to one request on each', async () => {
    const listener = await listen('127.0.0.1', 0)
    listener.answerWith(() => new Response('here'))
    const [idle, late] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
    await getFrom(listener.url, idle)
    await getFrom(listener.url, late)
    let isStopped = false
    const stopped = listener.stop({ graceMs: 500 }).then(() => {
      isStopped = true
    })
    await assert.rejects(async () => {
      for (;;) await getFrom(listener.url)
    })
    const { body, headers } = await getFrom(listener.url, late)
    assert.deepEqual([body, headers.connection, isStopped], ['here', 'close', false])
    await stopped
    for (const agent of [idle, late]) agent.destroy()
  })
})
