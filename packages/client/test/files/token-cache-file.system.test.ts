import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { tokenCacheFile } from '../../src/files/index.ts'

const freshFile = () => join(freshFolder(), 'made/tokens.json')

describe('a token cache in a file', () => {
  it('keeps separate values, readable only by the owner', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    assert.equal(await cache.get('a'), undefined)
    await cache.set('a', '1', 60)
    await cache.set('b', '2', 60)
    await cache.set('a', '3', 60)
    assert.equal(await cache.get('a'), '3')
    assert.equal(await cache.get('b'), '2')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
  })

  it('fails immediately if no folder can be created', { timeout: 10_000 }, async () => {
    const file = freshFile()
    await tokenCacheFile(file).set('a', '1', 60)
    const paths = [join(file, 'below/tokens.json')]
    if (process.platform === 'linux') paths.push('/proc/none/tokens.json')
    for (const path of paths)
      await assert.rejects(tokenCacheFile(path).set('a', '1', 60), { code: /^ENO(ENT|TDIR)$/ })
  })

  it('drops expired values', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('old', '1', -1)
    await cache.set('new', '2', 60)
    assert.doesNotMatch(readFileSync(path, 'utf8'), /old/)
  })

  it('loses no value in many simultaneous writes', async () => {
    const cache = tokenCacheFile(freshFile())
    const keys = Array.from({ length: 20 }, (_, number) => `key-${number}`)
    await Promise.all(keys.map((key) => cache.set(key, key, 60)))
    assert.deepEqual(await Promise.all(keys.map((key) => cache.get(key))), keys)
  })

  const foreign = [
    ['a settings file for a shell', 'export PATH=/x\n'],
    ['a part of a cache', '{"a":{"value":"1","endsMs":1}'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an object without a name', '{}'],
    ['other JSON', '{"a":7}'],
    ['other JSON beside an entry', '{"a":{"value":"1","endsMs":1},"b":{"value":7}}'],
    ['text with an entry', '{"a":{"value":"1","endsMs":"1"}}'],
  ] as const
  for (const [what, content] of foreign)
    it(`ignores ${what}, and never replaces it (CL20)`, async () => {
      const path = freshFile()
      const cache = tokenCacheFile(path)
      await cache.set('x', '', 60)
      writeFileSync(path, content)
      assert.equal(await cache.get('b'), undefined)
      await assert.rejects(cache.set('a', '1', 60))
      assert.equal(readFileSync(path, 'utf8'), content)
    })

  it('replaces an empty file, such as a file from mktemp', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('x', '', 60)
    writeFileSync(path, '')
    await cache.set('a', '1', 60)
    assert.equal(await cache.get('a'), '1')
  })

  it('replaces neither a link nor a folder (CL20)', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('a', '1', 60)
    renameSync(path, `${path}.elsewhere`)
    symlinkSync(`${path}.elsewhere`, path)
    await assert.rejects(cache.set('b', '2', 60), /is no token cache, so it is not replaced/)
    assert.ok(lstatSync(path).isSymbolicLink())
    rmSync(path)
    mkdirSync(path)
    await assert.rejects(cache.set('b', '2', 60), /is no token cache/)
  })

  it("never removes another program's lock file (CL20)", async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('a', '1', 60)
    const lock = `${path}.lock`
    writeFileSync(lock, '# yarn lockfile v1\n')
    utimesSync(lock, 1, 1)
    const written = cache.set('a', '2', 60)
    await sleep(60)
    assert.equal(readFileSync(lock, 'utf8'), '# yarn lockfile v1\n')
    rmSync(lock)
    await written
  })

  it("trusts neither another user's file nor a link to such a file (CL19)", async (test) => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('a', '1', 60)
    const { uid } = statSync(path)
    const geteuid = test.mock.method(process as { geteuid: () => number }, 'geteuid', () => uid + 1)
    assert.equal(await cache.get('a'), undefined)
    geteuid.mock.restore()
    assert.equal(await cache.get('a'), '1')
    renameSync(path, `${path}.elsewhere`)
    symlinkSync(`${path}.elsewhere`, path)
    assert.equal(await cache.get('a'), undefined)
  })

  it('distrusts a file that other users may read or write (CL6)', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('a', '1', 60)
    for (const mode of [0o644, 0o660, 0o602]) {
      chmodSync(path, mode)
      assert.equal(await cache.get('a'), undefined)
    }
    await cache.set('b', '2', 60)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('does not wait for the lock of an exited process', async () => {
    const path = freshFile()
    const cache = tokenCacheFile(path)
    await cache.set('a', '1', 60)
    const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(gone, 'close')
    writeFileSync(`${path}.lock`, String(gone.pid))
    await cache.set('a', '2', 60)
    assert.ok(!existsSync(`${path}.lock`), 'who has waited for a lock in vain leaves it')
    assert.equal(await cache.get('a'), '2')
  })

  it('causes one token request for five jobs that start together', async (test) => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests += 1
      const body = { token_type: 'Bearer', expires_in: 3599, access_token: `t${requests}` }
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }, 100)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    test.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const job = `
      import { clientSecret, createTokenSource } from '@greeting/client'
      import { tokenCacheFile } from '@greeting/client/files'
      const tokens = createTokenSource({
        authority: 'http://127.0.0.1:${port}/tenant', clientId: 'c', scope: 's',
        credential: clientSecret('secret'), cache: tokenCacheFile(${JSON.stringify(freshFile())}),
      })
      process.stdout.write(await tokens.token())`
    const runs = Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', job], {
        cwd: import.meta.dirname,
      })
      let printed = ''
      child.stdout.on('data', (data) => {
        printed += data
      })
      await once(child, 'close')
      return printed
    })
    assert.deepEqual(await Promise.all(runs), ['t1', 't1', 't1', 't1', 't1'])
    assert.equal(requests, 1)
  })

  it('requires a path', () => {
    assert.throws(() => tokenCacheFile(''), TypeError)
  })
})
