import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Listener, listen } from '../../src/listener/listener.ts'
import { assertErrorAnswer, malformedRequests } from '../error-answer-conformance.ts'
import { rawRequest, sendRaw } from '../raw-http.ts'

let listener: Listener
const reached: string[] = []

before(async () => {
  listener = await listen('127.0.0.1', 0)
  listener.answerWith((request) => {
    reached.push(request.url)
    if (request.url.endsWith('/fails')) throw new Error('canary')
    return new Response('answered')
  })
})
after(() => listener.stop())

async function send(bytes: string): Promise<{ head: string; body: string }> {
  const [head = '', body = ''] = (await sendRaw(listener.url, bytes)).split('\r\n\r\n')
  return { head, body }
}

describe('a malformed request', () => {
  for (const { name, bytes, status } of malformedRequests) {
    it(`gets ${status} as JSON without reaching the app: ${name}`, async () => {
      reached.length = 0
      const json = assertErrorAnswer(await sendRaw(listener.url, bytes), status)
      assert.deepEqual(Object.keys(json), ['error', 'error_description'])
      assert.equal(json.error, 'invalid_request')
      assert.deepEqual(reached, [])
      // The listener still answers.
      assert.equal((await send(rawRequest('GET /hi HTTP/1.1', 'Host: a'))).body, 'answered')
    })
  }
})

describe('a well-formed request', () => {
  it('reaches the app', async () => {
    const { head, body } = await send(rawRequest('GET /hi HTTP/1.1', 'Host: a'))
    assert.match(head, /^HTTP\/1.1 200 /)
    assert.equal(body, 'answered')
  })

  it('may have an absolute URL as its target, as proxies send it', async () => {
    await send(rawRequest('GET http://b/hi HTTP/1.1', 'Host: a'))
    assert.equal(reached.at(-1), 'http://b/hi')
  })

  it('gets 500 without details if the app throws', async () => {
    const { head, body } = await send(rawRequest('GET /fails HTTP/1.1', 'Host: a'))
    assert.match(head, /^HTTP\/1.1 500 /)
    assert.deepEqual(JSON.parse(body), {
      error: 'server_error',
      error_description: 'The request could not be answered',
    })
  })
})
