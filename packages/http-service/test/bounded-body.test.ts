import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readBody } from '../src/request-body.ts'

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://login.test', {
    method: 'POST',
    body,
    headers,
    duplex: 'half',
  } as RequestInit)

const streamed = (...parts: string[]) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(Buffer.from(part))
      controller.close()
    },
  })

describe('readBody (AS2)', () => {
  it('reads a body up to the limit, with or without a declared length', async () => {
    const declared = await readBody(post('12345', { 'content-length': '5' }), 5)
    assert.equal(Buffer.from(declared).toString(), '12345')
    const chunked = await readBody(post(streamed('12', '345')), 5)
    assert.equal(Buffer.from(chunked).toString(), '12345')
    assert.equal((await readBody(new Request('http://login.test'), 5)).length, 0)
  })

  const tooLarge: [string, () => Request][] = [
    ['one byte above the limit', () => post('123456', { 'content-length': '6' })],
    ['a length that is not a number', () => post('1', { 'content-length': 'x' })],
    ['no length and too many bytes', () => post(streamed('123', '456'))],
    [
      'a length and a transfer coding (CVE-2025-59139)',
      () => post(streamed('123456'), { 'content-length': '1', 'transfer-encoding': 'chunked' }),
    ],
  ]
  for (const [what, make] of tooLarge) {
    it(`rejects a body with ${what}`, async () => {
      await assert.rejects(readBody(make(), 5), { code: 'body_too_large' })
    })
  }

  it('rejects each copy of a cloned request, as in a lab', async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from('123')),
    })
    const request = post(endless)
    const copy = request.clone()
    await assert.rejects(readBody(copy, 5), { code: 'body_too_large' })
    await assert.rejects(readBody(request, 5), { code: 'body_too_large' })
  })

  it('uses the header reader of its caller', async () => {
    await assert.rejects(
      readBody(post('1'), 5, (name) => (name === 'content-length' ? '6' : undefined)),
      { code: 'body_too_large' },
    )
  })

  it('reports a body that ends early', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.error(new Error('aborted')),
    })
    await assert.rejects(readBody(post(body), 5), { code: 'body_cut' })
  })
})
