import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root, run } from '../greeting-process.ts'
import { sharedSystem } from '../shared-system.ts'

/** The required output of each shell block of the tutorial, in order. */
const expected = [
  { step: 'asks without a token', prints: /^HTTP\/1\.1 401 .*www-authenticate: Bearer realm=/is },
  { step: 'obtains a token with curl', prints: /^\{"token_type":"Bearer","expires_in":3599,/ },
  { step: 'reads a token', prints: /roles +\["CallHiApiRole","CallHelloApiRole"\]/ },
  { step: 'calls the API', prints: /^HiHello, Ada\n$/ },
]

describe('the tutorial', () => {
  let folder: string
  let blocks: string[] = []

  before(async () => {
    folder = (await sharedSystem()).folder
    const text = await readFile(join(root, 'docs/tutorial.md'), 'utf8')
    blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  })

  it('has as many shell blocks as this test runs', () => {
    assert.equal(blocks.length, expected.length)
  })

  for (const [index, { step, prints }] of expected.entries()) {
    it(`${step} with the command of the page`, async () => {
      const { code, out, err } = await run('bash', ['-ec', blocks[index] ?? ''], { cwd: folder })
      assert.equal(code, 0, err)
      assert.match(out, prints)
    })
  }
})
