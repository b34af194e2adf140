import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Ended, root, run } from '../greeting-process.ts'
import { sharedSystem } from '../shared-system.ts'

/** The required output of each shell block of the guide, in order. */
const expected = [
  { step: 'lists the applications', prints: /"displayName":"Administrator"/ },
  { step: 'registers the API', prints: /^$/ },
  { step: 'declares its app roles', prints: /^$/ },
  { step: 'registers the client', prints: /^$/ },
  { step: 'grants admin consent', prints: /"resourceDisplayName":"Orders API"/ },
  { step: 'creates a secret', prints: /^$/ },
  { step: 'obtains a token', prints: /roles +\["Orders\.Read"\]/ },
  { step: 'manages the server', prints: /"phase":"active".*appRoleAssignment\.create/ },
  { step: 'creates an administrator of another tenant', prints: /^\{"tenantId":.*"clientSecret":/ },
]

describe('the guide to the management API', () => {
  let ended: Ended
  let blocks: string[] = []
  const fence = '--- the next block ---'

  before(async () => {
    const { folder } = await sharedSystem()
    const text = await readFile(join(root, 'docs/reference/graph.md'), 'utf8')
    blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
    // One shell for all blocks, because later blocks use variables of earlier ones.
    ended = await run('bash', ['-ec', blocks.join(`\necho '${fence}'\n`)], { cwd: folder })
  })

  it('runs to its end with the commands in the page', () => {
    assert.equal(ended.code, 0, ended.err + ended.out)
    assert.equal(blocks.length, expected.length)
  })

  for (const [index, { step, prints }] of expected.entries())
    it(`${step}, and prints the output in the page`, () => {
      assert.match((ended.out.split(`${fence}\n`)[index] ?? '').trimEnd(), prints)
    })
})
