import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { root, run, type System, startSystem, temporaryFolder } from './greeting-process.ts'

/** What each shell block of the tutorial must print, in order. */
const expected = [
  { step: 'asks without a token', prints: /^HTTP\/1\.1 401 .*www-authenticate: Bearer realm=/is },
  { step: 'obtains a token with curl', prints: /^\{"token_type":"Bearer","expires_in":3599,/ },
  { step: 'reads a token', prints: /roles +\["CallHiApiRole","CallHelloApiRole"\]/ },
  { step: 'calls the API', prints: /^HiHello, Ada\n$/ },
]

describe('the tutorial', () => {
  let cleanUp: () => Promise<void> = async () => {}
  let folder: string
  let system: System
  let blocks: string[] = []

  before(async () => {
    folder = await temporaryFolder({ after: (done) => (cleanUp = done) })
    system = await startSystem(join(folder, '.greeting'), { cwd: folder })
    const text = await readFile(join(root, 'docs/tutorial.md'), 'utf8')
    blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  })
  after(async () => {
    await system.stop()
    await cleanUp()
  })

  it('has as many shell blocks as are tried here', () => {
    assert.equal(blocks.length, expected.length)
  })

  for (const [index, { step, prints }] of expected.entries()) {
    it(`${step} as it is written`, async () => {
      const { code, out, err } = await run('bash', ['-ec', blocks[index] ?? ''], { cwd: folder })
      assert.equal(code, 0, err)
      assert.match(out, prints)
    })
  }
})
