import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { answering, granting, serving } from '../../fakes/servers.ts'
import { emptyFile, RecordedTerminal } from '../../fakes/terminal.ts'

async function called(test: TestContext, args: readonly string[], status = 200) {
  const requests: object[] = []
  const api = await serving(test, (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { method, url, headers } = request
      requests.push({ method, url, body, accept: headers.accept, token: headers.authorization })
      answering(status, { seen: headers.authorization })(request, response)
    })
  })
  const terminal = new RecordedTerminal()
  const code = await terminal.run(['call', ...args, '--settings', emptyFile], {
    AUTH_URL: await serving(test, granting('header.claims.signature')),
    BASE_URL: `${api}/prefix`,
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'secret-value',
    SCOPE: 'api://x/.default',
  })
  return { code, out: terminal.out, err: terminal.err, requests }
}

describe('greeting call', () => {
  it('sends the request with a token, and prints the response without the token', async (test) => {
    const args = ['post', '/api/v1/x?y=1', '--data', 'body', '--header', 'accept: text/plain']
    const { code, out, requests } = await called(test, args)
    assert.equal(code, 0)
    assert.equal(out, '{"seen":"Bearer [redacted]"}\n')
    const sent = { method: 'POST', url: '/prefix/api/v1/x?y=1', body: 'body', accept: 'text/plain' }
    assert.deepEqual(requests, [{ ...sent, token: 'Bearer header.claims.signature' }])
  })

  it('prints the status, headers and body as JSON', async (test) => {
    const { out } = await called(test, ['GET', '/', '--json'])
    const { status, headers, body } = JSON.parse(out)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(body, '{"seen":"Bearer [redacted]"}')
  })

  it('fails if the API refuses the request', async (test) => {
    const { code, out, err } = await called(test, ['GET', '/'], 404)
    assert.deepEqual([code, out], [1, ''])
    assert.match(
      err,
      /^The API refused GET http:\S+ \(HTTP status 404\): \{"seen":"Bearer \[redacted\]"\}\nCheck the path/,
    )
  })

  it("names the endpoint's required role if an option gives it", async (test) => {
    const { code, err } = await called(test, ['GET', '/', '--role', 'ReadOrders'], 403)
    assert.equal(code, 4)
    assert.match(err, /lacks the application role ReadOrders/)
  })

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    ...['G T', '', 'BOGUS', 'CONNECT', 'trace'].map((method): [string[], RegExp] => [
      [method, '/'],
      /The method must be one of HTTP, such as GET or POST/,
    ]),
    [['GET', 'https://evil.example/'], /The path must start with a slash/],
    [['GET', '/', '--header', 'accept'], /The header must have the form "name: value"/],
    [['GET', '/', '--header', 'Authorization: x'], /The command sets this header itself/],
  ]
  for (const [args, message] of refused) {
    it(`refuses ${args.join(' ')}`, async (test) => {
      const { code, err, requests } = await called(test, args)
      assert.equal(code, 2)
      assert.match(err, message)
      assert.equal(requests.length, 0)
    })
  }
})
