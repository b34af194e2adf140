import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { root, run, temporaryFolder } from './greeting-process.ts'

/** A port that was free just before. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

describe('docs/guides/ci.md', () => {
  it('has commands that test an API with and without a token', async (t) => {
    const folder = await temporaryFolder(t)
    await cp(join(root, 'registrations'), join(folder, 'registrations'), { recursive: true })
    const page = await readFile(join(root, 'docs/guides/ci.md'), 'utf8')
    const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, block = '']) => block)
      .join('')
      .replace('PORT=4000', 'HTTPS_PORT=0 PORT=4000')
      .replaceAll('4000', await freePort())
      .replaceAll('3000', await freePort())
      .replaceAll(/npm start -w (\S+)/g, `node ${root}/$1/src/main.ts`)
      .replaceAll('npx ', '')
    const script = `trap 'kill $(jobs -p)' EXIT\n${commands}`
    const { code, out, err } = await run('bash', ['-ec', script], { cwd: folder })
    assert.equal(code, 0, err)
    assert.match(out, /\n401\n200\n$/)
  })
})
