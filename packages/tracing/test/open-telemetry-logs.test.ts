import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { openLogSender } from '../src/index.ts'
import type { LogEvent } from '../src/log-export.ts'

const at = new Date('2030-01-01T00:00:00.005Z')
const event = (name: string, more: Partial<LogEvent> = {}): LogEvent => ({
  at,
  name,
  isWarning: false,
  attributes: { 'greeting.actor': 'a client' },
  ...more,
})

type Received = { readonly url: string | undefined; readonly key: unknown; readonly body: string }
const received: Received[] = []
let answer: { status: number; headers?: Record<string, string>; body?: string }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ url: request.url, key: request.headers.authorization, body })
  response.writeHead(answer.status, answer.headers).end(answer.body)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`
const sender = await openLogSender({ url, headers: { authorization: 'key' }, serviceName: 'idp' })

describe('records for a collector', () => {
  it('contain a time, a severity, a name and their attributes, in OTLP JSON', async () => {
    answer = { status: 200, body: '{}' }
    const events = [event('greeting.token.issue'), event('refused', { isWarning: true })]
    assert.deepEqual(await sender.send(events), { rejected: 0 })
    const [request] = received.splice(0)
    assert.deepEqual([request?.url, request?.key], ['/v1/logs', 'key'])
    const [{ resource, scopeLogs }] = JSON.parse(request?.body ?? '').resourceLogs
    assert.deepEqual(resource.attributes, [{ key: 'service.name', value: { stringValue: 'idp' } }])
    const [issued, refused] = scopeLogs[0].logRecords
    assert.deepEqual(
      [issued.timeUnixNano, issued.severityNumber, issued.severityText, issued.eventName],
      [`${at.getTime()}000000`, 9, 'INFO', 'greeting.token.issue'],
    )
    assert.deepEqual(issued.attributes, [
      { key: 'greeting.actor', value: { stringValue: 'a client' } },
    ])
    assert.deepEqual([refused.severityNumber, refused.severityText], [13, 'WARN'])
  })

  const answers: [string, typeof answer, number | RegExp, number?][] = [
    ['accepts all without a body', { status: 200 }, 0],
    ['rejects some', { status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"2"}}' }, 2],
    ['finds the request malformed', { status: 400 }, 3],
    ['finds the request too large', { status: 413 }, 3],
    ['does not know the path', { status: 404 }, /answered 404/],
    ['is overloaded', { status: 429, headers: { 'retry-after': '7' } }, /answered 429/, 7000],
    ['is unavailable', { status: 503, headers: { 'retry-after': 'soon' } }, /answered 503/],
    ['redirects the request', { status: 307, headers: { location: '/' } }, /fetch failed/],
  ]
  for (const [state, given, expected, retryAfterMs] of answers)
    it(`${typeof expected === 'number' ? `lose ${expected} of 3` : 'may be sent again'} if it ${state}`, async () => {
      answer = given
      const sent = sender.send([event('1'), event('2'), event('3')])
      if (typeof expected === 'number') assert.deepEqual(await sent, { rejected: expected })
      else
        await assert.rejects(sent, (error: Error & { retryAfterMs?: number }) => {
          assert.match(error.message, expected)
          assert.equal(error.retryAfterMs, retryAfterMs)
          return true
        })
      assert.equal(received.splice(0).length, 1)
    })

  it('do not wait for a silent collector once the sender is closed', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const closing = await openLogSender({ url: address, headers: {}, serviceName: 'idp' })
    const sent = closing.send([event('1')])
    closing.close()
    await assert.rejects(sent, { name: 'AbortError' })
    silent.closeAllConnections()
    silent.close()
  })
})
