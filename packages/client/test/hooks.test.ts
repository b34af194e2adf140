import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGreetingClient } from '../src/greeting-client.ts'
import type { ClientEvent, SpanStart, Trace } from '../src/hooks.ts'
import { settled, tokenSourceIn } from './fakes/token-source-in.ts'
import { type Answer, grant, noConnection, text, VirtualRuntime } from './fakes/virtual-runtime.ts'

/** Two fake servers in one runtime: the identity provider and the API, each with a list of answers. */
function worldOf(identityProvider: Answer[], api: Answer[]): VirtualRuntime {
  const next = (answers: Answer[]) => (answers.length > 1 ? answers.shift() : answers[0])
  return new VirtualRuntime((request, signal) => {
    const answer = next(request.url.includes('login') ? identityProvider : api)
    assert.ok(answer)
    return answer(request, signal)
  })
}

type Hooks = { onEvent?: (event: ClientEvent) => void; trace?: Trace }

const clientIn = (environment: VirtualRuntime, hooks: Hooks) =>
  createGreetingClient({
    baseUrl: 'https://api.example:8443',
    tokens: tokenSourceIn(environment, hooks),
    runtime: environment.runtime,
    ...hooks,
  })

describe('the event hook', () => {
  it('receives the events in order', async () => {
    const events: ClientEvent[] = []
    const environment = worldOf(
      [noConnection, grant('t1'), grant('t2')],
      [text(401, ''), text(503, ''), text(200, 'Hi')],
    )
    await clientIn(environment, { onEvent: (event) => events.push(event) }).hi()
    const call = { method: 'GET', path: '/api/v1/hi', durationMs: 0 }
    assert.deepEqual(events, [
      {
        type: 'token_request_failed',
        code: 'authority_unreachable',
        message:
          'The identity provider could not be reached at https://login.example: 127.0.0.1:1: no program listens on this port (ECONNREFUSED)',
        attempt: 1,
        background: false,
      },
      { type: 'token_obtained', from: 'server', lifetimeSeconds: 3599 },
      { type: 'call_answered', ...call, status: 401, attempt: 1 },
      { type: 'token_dropped' },
      { type: 'token_obtained', from: 'server', lifetimeSeconds: 3599 },
      { type: 'call_answered', ...call, status: 503, attempt: 1 },
      { type: 'call_answered', ...call, status: 200, attempt: 2 },
    ])
  })

  it('receives a failed background renewal', async () => {
    const events: ClientEvent[] = []
    const environment = new VirtualRuntime(grant('t1', 100), noConnection)
    const { token } = tokenSourceIn(environment, { onEvent: (event) => events.push(event) })
    await token()
    environment.pass(65_000)
    await token()
    await settled()
    assert.partialDeepStrictEqual(events[1], { type: 'token_request_failed', background: true })
  })

  it('receives the clock difference only once', async () => {
    const events: ClientEvent[] = []
    const date = { date: 'Thu, 01 Jan 2026 01:00:00 GMT' }
    const environment = new VirtualRuntime(text(503, '', date), text(503, '', date), grant('t1'))
    await tokenSourceIn(environment, { onEvent: (event) => events.push(event) }).token()
    const skews = events.filter(({ type }) => type === 'clock_skewed')
    assert.deepEqual(skews, [{ type: 'clock_skewed', skewSeconds: 3600 }])
  })

  it('may throw without an effect', async () => {
    const onEvent = () => {
      throw new Error('the log is full')
    }
    const environment = worldOf([grant('t1')], [text(200, 'Hi')])
    assert.equal(await clientIn(environment, { onEvent }).hi(), 'Hi')
  })
})

describe('the span hook', () => {
  it('receives every request with its result', async () => {
    const spans: object[] = []
    const trace: Trace = async (span, work) => {
      const record = { name: span.name, ...span.attributes }
      spans.push(record)
      try {
        return await work((attributes) => Object.assign(record, attributes))
      } catch (error) {
        Object.assign(record, { error: error instanceof Error })
        throw error
      }
    }
    const environment = worldOf([grant('t1')], [noConnection, text(200, 'Hi')])
    await clientIn(environment, { trace }).hi()
    const status = 'http.response.status_code'
    const api = {
      name: 'GET',
      'http.request.method': 'GET',
      'server.address': 'api.example',
      'server.port': 8443,
      'url.path': '/api/v1/hi',
    }
    assert.deepEqual(spans, [
      {
        name: 'POST',
        'http.request.method': 'POST',
        'server.address': 'login.example',
        'url.path': '/tenant/oauth2/v2.0/token',
        [status]: 200,
      },
      { ...api, error: true },
      { ...api, 'http.request.resend_count': 1, [status]: 200 },
    ])
  })

  it('can send the trace context to the servers', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const trace = <Value>({ headers }: SpanStart, work: (set: () => void) => Promise<Value>) => {
      headers.set('traceparent', traceparent)
      return work(() => undefined)
    }
    const environment = worldOf([grant('t1')], [text(200, 'Hi')])
    await clientIn(environment, { trace }).hi()
    assert.deepEqual(
      environment.sent.map(({ headers }) => headers.get('traceparent')),
      [traceparent, traceparent],
    )
    assert.equal(environment.sent[1]?.headers.get('authorization'), 'Bearer t1')
  })
})
