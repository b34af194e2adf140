import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeBase64url, decodeWithWebApis } from '../../src/encoding/base64url.ts'

// The unit `binary` of fast-check takes half a second to prepare.
const anyUnit = fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit))

for (const [name, decode] of [
  ['with Buffer', decodeBase64url],
  ['with Web APIs', decodeWithWebApis],
] as const) {
  describe(`canonical base64url, ${name}`, () => {
    it('encodes bytes', () => {
      fc.assert(
        fc.property(fc.uint8Array(), (bytes) => {
          const decoded = decode(Buffer.from(bytes).toString('base64url'))
          assert.deepEqual(decoded && Uint8Array.from(decoded), bytes)
        }),
      )
    })

    it('has a single text for each value, and refuses any other text', () => {
      fc.assert(
        fc.property(fc.string({ unit: anyUnit, maxLength: 12 }), (text) => {
          const bytes = decode(text)
          assert.ok(bytes === undefined || Buffer.from(bytes).toString('base64url') === text)
        }),
        { numRuns: 5000 },
      )
    })

    for (const text of ['QQ==', 'QR', '+_-A', '/_-A', 'QU JD', 'QUJD\n', 'Q', 'é', '\u0000']) {
      it(`excludes ${JSON.stringify(text)}`, () => {
        assert.equal(decode(text), undefined)
      })
    }
  })
}
