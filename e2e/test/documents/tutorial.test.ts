import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root, run } from '../greeting-process.ts'
import { sharedSystem } from '../shared-system.ts'

const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
/** Each shell block of the page, with some lines of its output. `…` stands for any text. */
const steps = [...page.matchAll(/```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)\n```/g)]

describe('the tutorial', () => {
  let folder: string

  before(async () => {
    folder = (await sharedSystem()).folder
  })

  it('shows the output of each of its four shell blocks', () => {
    assert.equal(steps.length, 4)
    assert.equal(page.match(/```sh\n/g)?.length, 4)
  })

  for (const [, block = '', output = ''] of steps) {
    it(`prints ${output.split('\n')[0]}`, async () => {
      const { code, out, err } = await run('bash', ['-ec', block], { cwd: folder })
      assert.equal(code, 0, err)
      for (const line of output.split('\n')) {
        const text = line
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('.*')
        assert.match(out, new RegExp(`^${text}\\r?$`, 'm'))
      }
    })
  }
})
