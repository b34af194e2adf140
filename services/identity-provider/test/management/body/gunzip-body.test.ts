import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { gunzipBody } from '../../../src/management/body/json-body.ts'

const maxBytes = 1024

describe('gunzipBody (AS38)', () => {
  it('decodes a body up to the limit', async () => {
    const text = 'a'.repeat(maxBytes)
    assert.equal(Buffer.from(await gunzipBody(gzipSync(text), maxBytes)).toString(), text)
  })

  for (const { name, bytes, code } of [
    {
      name: 'one byte above the limit',
      bytes: gzipSync('a'.repeat(maxBytes + 1)),
      code: 'body_too_large',
    },
    {
      name: '10 MB in few bytes',
      bytes: gzipSync(Buffer.alloc(10_000_000), { level: 1 }),
      code: 'body_too_large',
    },
    {
      name: 'several members above the limit',
      bytes: Buffer.concat([gzipSync('a'.repeat(maxBytes)), gzipSync('b')]),
      code: 'body_too_large',
    },
    { name: 'a truncated end', bytes: gzipSync('text').subarray(0, -4), code: 'body_undecodable' },
    { name: 'a wrong checksum', bytes: damaged(gzipSync('text')), code: 'body_undecodable' },
    {
      name: 'data that is not gzip',
      bytes: Buffer.from('{"displayName":"A"}'),
      code: 'body_undecodable',
    },
    { name: 'no data', bytes: Buffer.alloc(0), code: 'body_undecodable' },
  ])
    it(`rejects a body with ${name}: ${code}`, async () => {
      await assert.rejects(gunzipBody(bytes, maxBytes), { code })
    })
})

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const checksum = copy.length - 8
  copy[checksum] = (copy[checksum] ?? 0) ^ 1
  return copy
}
