import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { clientSecret } from '../../src/credentials/credential.ts'
import { RequestLimit } from '../../src/http/request-limit.ts'
import type { Runtime } from '../../src/runtime.ts'
import { createTokenSource } from '../../src/token/token-source.ts'
import { settled, tokenSourceIn } from '../fakes/token-source-in.ts'
import { type Answer, grant, silence, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const forever = new AbortController().signal

/** A server that answers when the test says so, and that counts the requests which it has. */
class SlowServer {
  inFlight = 0
  most = 0
  readonly #pending: (() => void)[] = []
  readonly answer: Answer = async (request, signal) => {
    this.inFlight += 1
    this.most = Math.max(this.most, this.inFlight)
    await new Promise<void>((resolve) => this.#pending.push(resolve))
    this.inFlight -= 1
    return grant(`t${request.form.get('scope')?.replaceAll(/\W/g, '')}`)(request, signal)
  }

  /** Answers all requests until these calls have ended. */
  async answerUntilEnd(calls: Promise<unknown>): Promise<void> {
    let hasEnded = false
    void calls.finally(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      for (const answer of this.#pending.splice(0)) answer()
      await settled()
    }
  }
}

function sourcesIn(
  environment: VirtualRuntime,
  count: number,
  options: { maxRequestsInFlight?: number; deadlineMs?: number } = {},
) {
  const runtime: Runtime = environment.runtime
  return Array.from({ length: count }, (_, index) =>
    tokenSourceIn(environment, { runtime, scope: `api://${index}/.default`, ...options }),
  )
}

describe('token requests for many scopes', () => {
  for (const [maxRequestsInFlight, most, scopes] of [
    [undefined, 16, 200],
    [1, 1, 50],
    [40, 40, 200],
  ] as const) {
    it(`never exceed ${most} at a time with maxRequestsInFlight ${maxRequestsInFlight} (CL8)`, async () => {
      const server = new SlowServer()
      const environment = new VirtualRuntime(server.answer)
      const options = maxRequestsInFlight === undefined ? {} : { maxRequestsInFlight }
      const tokens = Promise.all(
        sourcesIn(environment, scopes, options).map(({ token }) => token()),
      )
      await server.answerUntilEnd(tokens)
      assert.equal(new Set(await tokens).size, scopes)
      assert.equal(environment.sent.length, scopes)
      assert.equal(server.most, most)
    })
  }

  it('open no more connections than maxRequestsInFlight', async () => {
    let connections = 0
    const server = createServer((request, response) => {
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 't', token_type: 'Bearer', expires_in: 3600 }))
    })
    server.on('connection', () => {
      connections += 1
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const tokenEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
    const sources = Array.from({ length: 100 }, (_, index) =>
      createTokenSource({
        tokenEndpoint,
        clientId: 'many',
        scope: `api://${index}/.default`,
        credential: clientSecret('not a real secret'),
        maxRequestsInFlight: 4,
      }),
    )
    await Promise.all(sources.map((source) => source.token()))
    server.closeAllConnections()
    server.close()
    assert.equal(connections, 4)
  })

  it("stop waiting if the caller's signal is aborted", async () => {
    const server = new SlowServer()
    const environment = new VirtualRuntime(server.answer)
    const [first, second] = sourcesIn(environment, 2, { maxRequestsInFlight: 1 })
    const held = first?.token()
    const controller = new AbortController()
    const waiting = second?.token({ signal: controller.signal })
    await settled()
    controller.abort(new Error('stopped by the caller'))
    await assert.rejects(waiting ?? Promise.resolve(), /stopped by the caller/)
    assert.equal(environment.sent.length, 1)
    const end = Promise.resolve(held)
    await server.answerUntilEnd(end)
    assert.match((await end) ?? '', /^tapi/)
  })

  it('fail at their deadline with authority_unreachable while they wait', async () => {
    const environment: VirtualRuntime = new VirtualRuntime(silence(() => environment, 2_000))
    const [first, second] = sourcesIn(environment, 2, { maxRequestsInFlight: 1, deadlineMs: 1_000 })
    const ends = await Promise.allSettled([first?.token(), second?.token()])
    assert.deepEqual(
      ends.map((end) => end.status === 'rejected' && end.reason.code),
      ['authority_unreachable', 'authority_unreachable'],
    )
    assert.equal(environment.sent.length, 1)
  })

  it('are admitted after a failed request', async () => {
    const failing: Answer = () => {
      throw new TypeError('fetch failed')
    }
    const environment = new VirtualRuntime(failing, grant('t2'))
    const [first, second] = sourcesIn(environment, 2, { maxRequestsInFlight: 1, deadlineMs: 1 })
    await assert.rejects(first?.token() ?? Promise.resolve(), { code: 'authority_unreachable' })
    assert.equal(await second?.token(), 't2')
  })
})

describe('a request limit', () => {
  it('admits waiting requests in the order of arrival', async () => {
    const limit = new RequestLimit()
    const order: number[] = []
    const release = await limit.acquire(1, forever)
    const waits = [1, 2, 3].map(async (number) => {
      const next = await limit.acquire(1, forever)
      order.push(number)
      next()
    })
    release()
    release()
    await Promise.all(waits)
    assert.deepEqual(order, [1, 2, 3])
    assert.equal(limit.isIdle, true)
  })

  it('admits the next request if a wait is aborted after its admission', async () => {
    const limit = new RequestLimit()
    const controller = new AbortController()
    const release = await limit.acquire(1, forever)
    const aborted = limit.acquire(1, controller.signal)
    const next = limit.acquire(1, forever)
    await settled()
    controller.abort(new Error('stopped'))
    release()
    await assert.rejects(aborted, /stopped/)
    const end = await next
    end()
    assert.equal(limit.isIdle, true)
  })
})
