import assert from 'node:assert/strict'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePort } from '../../fixtures/free-port.ts'
import { folderOfClone, root, run } from '../greeting-process.ts'

/** The registrations file of the example. */
const shipped = 'services/greeting-api/registrations.json'

describe('docs/guides/testing.md in a pipeline', () => {
  it('contains commands that test an API with and without a token', async () => {
    const folder = folderOfClone()
    await cp(join(root, shipped), join(folder, shipped))
    const page = await readFile(join(root, 'docs/guides/testing.md'), 'utf8')
    const [, section = ''] = page.split('\n## In a pipeline\n')
    const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, block = '']) => block)
      .join('')
      .replace('PORT=4000', 'HTTPS_PORT=0 PORT=4000')
      .replaceAll('4000', String(await freePort()))
      .replaceAll('3000', String(await freePort()))
      .replaceAll(/npm start -w (\S+)/g, `node ${root}/$1/src/main.ts`)
    const script = `trap 'kill $(jobs -p)' EXIT\n${commands}`
    const { code, out, err } = await run('bash', ['-ec', script], { cwd: folder })
    assert.equal(code, 0, err)
    assert.match(out, /\n401\n200\n$/)
  })
})
