import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root, run } from '../greeting-process.ts'
import { sharedSystem } from '../shared-system.ts'

const page = await readFile(join(root, 'docs/guides/identity-provider.md'), 'utf8')
// policies-guide.test.ts runs those about policies.
const ownPart = page.replace(/^## Policies$[\s\S]*?(?=^## )/m, '')
const blocks = [...ownPart.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The required output of each shell block of the page, in order. */
const expected = [
  {
    step: 'finds a refused request by its correlation id',
    prints: new RegExp(
      `^time .*\\n\\S+Z +refused +token\\.issue +${guid} +secret_wrong +${guid}\\n$`,
    ),
  },
  {
    step: 'filters the audit, for a person and for a program',
    prints:
      /^time .* correlation id\n[^{]*refused[^{]*\n\{"log":"directory",.*"action":"appRoleAssignment\.create",.*\}\n/,
  },
]

describe('the page about the identity provider', () => {
  let folder: string

  before(async () => {
    folder = (await sharedSystem()).folder
  })

  it('has as many shell blocks as this test runs', () => {
    assert.equal(blocks.length, expected.length)
  })

  for (const [index, { step, prints }] of expected.entries())
    it(`${step} with the command in the page`, async () => {
      const { code, out, err } = await run('bash', ['-ec', blocks[index] ?? ''], { cwd: folder })
      assert.equal(code, 0, err)
      assert.match(out, prints)
    })
})
