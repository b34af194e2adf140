import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { listen } from '@greeting/http-service'
import { asProof } from './client-certificate.ts'
import { tenantId, testService } from './test-service.ts'

describe('the body of a request', () => {
  it('is cut off at 64 KB on a socket, even in chunks without a length (AS2)', async () => {
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
    it(`of type ${type} gets status ${status} (CVE-2025-32442, AS2)`, async () => {
      const service = await testService()
      const response = await service.token(service.form(), { headers: { 'content-type': type } })
      assert.equal(response.status, status)
    })
  }

  it('must be UTF-8, regardless of the charset in its type (AS2)', async () => {
    const service = await testService()
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1' }
    const body = Buffer.from(`${new URLSearchParams(service.form())}&x=caf\xe9`, 'latin1')
    const path = `http://login.test/${tenantId}/oauth2/v2.0/token`
    const response = await service.app.request(path, { method: 'POST', headers, body })
    assert.equal(response.status, 400)
    const { error_description } = (await response.json()) as { error_description: string }
    assert.match(error_description, /not well-formed UTF-8/)
  })

  const part = (name: string, value: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const file = '; filename="x.txt"\r\nContent-Type: text/plain'
  const nested = '\r\nContent-Type: multipart/mixed; boundary=c'
  const inner = '--c\r\nContent-Disposition: file; filename="a"\r\n\r\nx\r\n--c--'
  const plain = 'multipart/form-data; boundary=b'
  const formed = (form: Record<string, string>) =>
    Object.entries(form)
      .map(([name, value]) => part(name, value))
      .join('')
  const end = '--b--\r\n'
  for (const [what, type, added, status, reason] of [
    ['all parameters', plain, end, 200, ''],
    ['a quoted boundary', 'multipart/form-data; boundary="b"', end, 200, ''],
    ['a type in another case', 'Multipart/Form-Data; Boundary=b', end, 200, ''],
    [
      'a charset before the boundary',
      'multipart/form-data; charset=utf-8; boundary=b',
      end,
      200,
      '',
    ],
    [
      'a charset after the boundary',
      'multipart/form-data; boundary=b; charset=UTF-8',
      end,
      200,
      '',
    ],
    ['an unknown parameter', plain, part('x', 'ä') + end, 200, ''],
    ['an empty parameter', plain, part('claims', '') + end, 200, ''],
    ['a repeated parameter', plain, part('scope', 'x') + end, 400, 'parameter_repeated'],
    ['a repeated empty parameter', plain, part('scope', '') + end, 400, 'parameter_repeated'],
    ['a file', plain, part('x', 'y', file) + end, 400, 'parameter_malformed'],
    ['nested parts', plain, part('x', inner, nested) + end, 400, 'parameter_malformed'],
    ['50 additional parts', plain, part('x', '').repeat(50) + end, 400, 'too_many_parameters'],
    ['2,000 additional parts', plain, part('', '').repeat(2000) + end, 413, 'body_too_large'],
    ['2 MB', plain, part('x', 'y'.repeat(2_000_000)) + end, 413, 'body_too_large'],
    ['no end boundary', plain, '', 400, 'parameter_malformed'],
    ['another boundary', 'multipart/form-data; boundary=x', end, 400, 'parameter_malformed'],
    ['no boundary', 'multipart/form-data', end, 400, 'body_not_form'],
    ['an empty boundary', 'multipart/form-data; boundary=', end, 400, 'body_not_form'],
    [
      'a long boundary',
      `multipart/form-data; boundary=${'b'.repeat(71)}`,
      end,
      400,
      'body_not_form',
    ],
    ['another type', 'multipart/mixed; boundary=b', end, 400, 'body_not_form'],
  ] as const) {
    for (const path of ['/oauth2/v2.0/token', '/oauth2/token'])
      it(`as multipart/form-data with ${what} gets status ${status} at ${path} (AS2)`, async () => {
        const service = await testService()
        const { scope = '', ...rest } = service.form()
        const name = path === '/oauth2/token' ? 'resource' : 'scope'
        const value = scope.replace(name === 'scope' ? '' : '/.default', '')
        const body = formed({ ...rest, [name]: value }) + added.replaceAll('"scope"', `"${name}"`)
        const headers = { 'content-type': type }
        const response = await service.token(body, { path: `/${tenantId}${path}`, headers })
        assert.equal(response.status, status)
        assert.equal(service.audit[0]?.reason ?? '', reason)
      })
  }

  it('as multipart/form-data must be UTF-8 (AS2)', async () => {
    const service = await testService()
    const body = Buffer.from(formed({ ...service.form(), x: 'caf\xe9' }) + end, 'latin1')
    const path = `http://login.test/${tenantId}/oauth2/v2.0/token`
    const headers = { 'content-type': plain }
    const response = await service.app.request(path, { method: 'POST', headers, body })
    assert.equal(response.status, 400)
    assert.equal(service.audit[0]?.reason, 'parameter_malformed')
  })

  it('as multipart/form-data keeps spaces and plus signs in a value, and works with Basic and assertions', async () => {
    const service = await testService()
    const { client_secret = '', client_id = '', ...rest } = service.form()
    const authorization = `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(client_secret)}`).toString('base64')}`
    const headers = { 'content-type': plain, authorization }
    assert.equal((await service.token(formed(rest) + end, { headers })).status, 200)
    const proof = formed({ ...rest, client_id, ...asProof('a+b c%20d') }) + end
    await service.token(proof, { headers: { 'content-type': plain } })
    assert.equal(service.audit.at(-1)?.reason, 'assertion_malformed')
  })

  const cuts: [name: string, head: string][] = [
    ['a content length', 'Content-Length: 100'],
    ['chunks', 'Transfer-Encoding: chunked'],
  ]
  for (const [name, field] of cuts) {
    it(`that ends early with ${name} causes a log line at debug level only`, {
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
