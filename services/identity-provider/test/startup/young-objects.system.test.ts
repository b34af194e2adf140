import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const startup = new URL('../../src/startup/young-objects.ts', import.meta.url)

/** Makes objects that live long, so that V8 considers where to create the next ones. */
const program = `
  const kept = []
  const make = (name) => ({ name, parts: [{ name }] })
  for (let count = 0; count < 200_000; count += 1) kept.push(make('object ' + count))
`

async function decisionsOf(source: string): Promise<number> {
  const args = ['--trace-pretenuring-statistics', '--input-type=module', '--eval', source]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.split('\n').filter((line) => line.includes('=> maybe tenure')).length
}

describe('objects of the identity provider', () => {
  it("are created in V8's young generation, as in other programs", async () => {
    const call = `import { createObjectsYoung } from '${startup}'; createObjectsYoung();`
    assert.notEqual(await decisionsOf(program), 0)
    assert.equal(await decisionsOf(call + program), 0)
  })
})
