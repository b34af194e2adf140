import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BodyTooLarge, readBounded } from '../src/bounded-body.ts'
import { sourceIn } from './stand-in/source.ts'
import { text, VirtualWorld } from './stand-in/virtual-world.ts'

// Security row CL11.
describe('a body', () => {
  it('is read up to the limit, and not beyond', async () => {
    assert.equal(await readBounded(new Response('é'.repeat(5)), 10), 'é'.repeat(5))
    await assert.rejects(readBounded(new Response('x'.repeat(11)), 10), BodyTooLarge)
    assert.equal(await readBounded(new Response(null), 10), '')
  })

  it('that never ends is left at the limit', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(1_000))
      },
    })
    await assert.rejects(readBounded(new Response(endless), 10_000), BodyTooLarge)
    assert.ok(pulled < 20)
  })

  it('of a token answer may be compressed once at most', async () => {
    const world = new VirtualWorld(text(200, '{}', { 'content-encoding': 'gzip, gzip' }))
    await assert.rejects(sourceIn(world, { deadlineMs: 1 }).token(), {
      code: 'authority_unreachable',
      message: /compressed more than once/,
    })
  })
})
