import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { listen } from '@greeting/http-service'
import { tenantId, testService } from './test-service.ts'

describe('the body of a request', () => {
  it('is cut off at 64 KB over a socket, sent in pieces without a length (AS2)', async () => {
    const service = await testService()
    const listener = await listen('127.0.0.1', 0)
    listener.answerWith((incoming, bindings) => service.app.fetch(incoming, bindings))
    const outgoing = request(`${listener.url}/${tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    outgoing.on('error', () => undefined)
    outgoing.write('x='.padEnd(40_000, 'x'))
    outgoing.write('x'.repeat(40_000))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 413)
    response.resume()
    outgoing.destroy()
    await listener.stop()
  })

  const types: [string, number][] = [
    ['application/x-www-form-urlencoded', 200],
    ['Application/X-WWW-Form-URLEncoded', 200],
    ['application/x-www-form-urlencoded;charset=utf-8', 200],
    ['application/x-www-form-urlencoded; charset=UTF-8', 200],
    ['application/x-www-form-urlencoded ; charset="utf-8"', 200],
    ['application/x-www-form-urlencoded; charset=ISO-8859-1', 200],
    ['application/x-www-form-urlencoded;charset=us-ascii', 200],
    ['application/x-www-form-urlencoded; charset=windows-1252', 200],
    ['application/x-www-form-urlencoded; charset=utf8', 200],
    ['application/x-www-form-urlencoded;', 200],
    ['application/x-www-form-urlencoded, application/json', 400],
    ['application/x-www-form-urlencodedx', 400],
    ['text/plain', 400],
    ['application/json', 400],
    ['multipart/form-data; boundary=x', 400],
    ['application/xml', 400],
    ['x', 400],
  ]
  for (const [type, status] of types) {
    it(`of the type ${type} is answered ${status} (CVE-2025-32442, AS2)`, async () => {
      const service = await testService()
      const response = await service.token(service.form(), { headers: { 'content-type': type } })
      assert.equal(response.status, status)
    })
  }

  it('is UTF-8 with any charset in its type: other bytes are refused (AS2)', async () => {
    const service = await testService()
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1' }
    const body = Buffer.from(`${new URLSearchParams(service.form())}&x=caf\xe9`, 'latin1')
    const path = `http://login.test/${tenantId}/oauth2/v2.0/token`
    const response = await service.app.request(path, { method: 'POST', headers, body })
    assert.equal(response.status, 400)
    const { error_description } = (await response.json()) as { error_description: string }
    assert.match(error_description, /not well-formed UTF-8/)
  })

  const cuts: [name: string, head: string][] = [
    ['a length', 'Content-Length: 100'],
    ['chunks', 'Transfer-Encoding: chunked'],
  ]
  for (const [name, field] of cuts) {
    it(`that ends early with ${name} is logged at debug level only`, {
      timeout: 10_000,
    }, async (t) => {
      const above: string[] = []
      const logged = Promise.withResolvers<object>()
      const note = (_: object, text: string) => void above.push(text)
      const service = await testService({
        log: { error: note, warn: note, info: note, debug: (fields) => logged.resolve(fields) },
      })
      const listener = await listen('127.0.0.1', 0)
      t.after(() => listener.stop())
      listener.answerWith((incoming, bindings) => {
        setImmediate(() => socket.destroy())
        return service.app.fetch(incoming, bindings)
      })
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
      socket.write(
        `POST /${tenantId}/oauth2/v2.0/token HTTP/1.1\r\nHost: a\r\n${field}\r\n` +
          'Content-Type: application/x-www-form-urlencoded\r\n\r\n5\r\nabcde\r\n',
      )
      const fields = await logged.promise
      assert.partialDeepStrictEqual(fields, { reason: 'body_incomplete' })
      assert.ok(!('err' in fields))
      assert.deepEqual(above, [])
      assert.deepEqual(service.audit, [])
    })
  }
})
