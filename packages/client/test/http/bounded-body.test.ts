import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGreetingClient } from '../../src/greeting-client.ts'
import { readBoundedText, UnusableBodyError } from '../../src/http/bounded-body.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { type Answer, grant, json, text, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const inBytes =
  (...bytes: number[]) =>
  () =>
    new Response(Uint8Array.from(bytes))
const tooLarge = (limitBytes: number) => ({
  name: 'UnusableBodyError',
  message: `it is larger than ${limitBytes} bytes`,
})

describe('a response body (CL11, CL17)', () => {
  it('is read only up to the limit', async () => {
    assert.equal(await readBoundedText(new Response('é'.repeat(5)), 10), 'é'.repeat(5))
    await assert.rejects(readBoundedText(new Response('x'.repeat(11)), 10), tooLarge(10))
    assert.equal(await readBoundedText(new Response(null), 10), '')
  })

  it('is cancelled at the limit if it is endless', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(1_000))
      },
    })
    await assert.rejects(readBoundedText(new Response(endless), 10_000), tooLarge(10_000))
    assert.ok(pulled < 20)
  })

  it('may be compressed at most once if it is a token response', async () => {
    const environment = new VirtualRuntime(text(200, '{}', { 'content-encoding': 'gzip, gzip' }))
    await assert.rejects(tokenSourceIn(environment).token(), {
      code: 'authority_answer_invalid',
      message: /compressed more than once/,
    })
    assert.equal(environment.sent.length, 1)
  })

  const notUtf8: readonly (readonly [string, readonly number[]])[] = [
    ['an invalid byte', [0x61, 0xff]],
    ['an overlong encoding', [0xc0, 0x80]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['an incomplete character', [0x61, 0xe2, 0x82]],
  ]
  for (const [what, bytes] of notUtf8) {
    it(`is refused completely with ${what} (CL17)`, async () => {
      await assert.rejects(readBoundedText(inBytes(...bytes)(), 10), UnusableBodyError)
    })
  }

  it('is refused if an unused member of a token response is not UTF-8 (CL17)', async () => {
    const body = Buffer.concat([
      Buffer.from('{"token_type":"Bearer","expires_in":3599,"access_token":"a.b.c","x":"'),
      Buffer.of(0xff),
      Buffer.from('"}'),
    ])
    const environment = new VirtualRuntime(inBytes(...body))
    await assert.rejects(tokenSourceIn(environment).token(), {
      code: 'authority_answer_invalid',
      message: 'The response of the identity provider cannot be used: it is not UTF-8',
    })
  })

  it('causes an error without a retry if it is a token response above 64 KB (CL17)', async () => {
    const environment = new VirtualRuntime(json(200, { access_token: 'x'.repeat(70_000) }))
    await assert.rejects(tokenSourceIn(environment).token(), {
      code: 'authority_answer_invalid',
      message:
        'The response of the identity provider cannot be used: it is larger than 65536 bytes',
      details: { status: 200 },
    })
    assert.equal(environment.sent.length, 1)
  })

  it('is retried as usual if a busy server sends more than 64 KB (CL17)', async () => {
    const environment = new VirtualRuntime(text(503, 'x'.repeat(70_000)), grant('a.b.c'))
    assert.equal(await tokenSourceIn(environment).token(), 'a.b.c')
    assert.equal(environment.sent.length, 2)
  })

  const greetings: readonly (readonly [string, Answer])[] = [
    ['larger than 64 KB', text(200, 'x'.repeat(70_000))],
    [
      'that is not UTF-8',
      () => new Response(Uint8Array.of(0xff), { headers: { 'content-type': 'text/plain' } }),
    ],
  ]
  for (const [what, answer] of greetings) {
    it(`causes an error without a retry if it is a greeting ${what} (CL17)`, async () => {
      const environment = new VirtualRuntime(answer)
      const tokens = { token: async () => 'a.b.c', drop: () => undefined }
      const client = createGreetingClient({
        baseUrl: 'https://api.example',
        tokens,
        runtime: environment.runtime,
      })
      await assert.rejects(client.hi(), { code: 'api_answer_invalid' })
      assert.equal(environment.sent.length, 1)
    })
  }
})
