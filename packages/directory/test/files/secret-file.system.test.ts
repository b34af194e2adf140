import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import {
  createSecretFile,
  readIfThere,
  readPrivateFile,
  replaceSecretFile,
} from '../../src/files/secret-file.ts'

const root = freshFolder()
let folder: string
let path: string

const ways = { createSecretFile, replaceSecretFile }

/** The synced files and folders, each with the state of the folder at that time. */
async function syncsOf(t: TestContext, write: () => Promise<void>): Promise<string[]> {
  const handle = await open(root, 'r')
  const methods = Object.getPrototypeOf(handle)
  await handle.close()
  const sync = methods.sync
  const seen: string[] = []
  t.mock.method(methods, 'sync', async function (this: typeof handle) {
    const kind = (await this.stat()).isDirectory() ? 'folder' : 'file'
    seen.push(`${kind}, named: ${(await readdir(folder)).includes('secret')}`)
    return sync.call(this)
  })
  await write()
  return seen
}

/** Another process that writes the file. It is killed at its first sync, or its disk is full. */
function writeInProcess(how: string, text: string, { dies = false, room = 'unlimited' }) {
  const program = `
    import { open } from 'node:fs/promises'
    import { ${how} } from ${JSON.stringify(import.meta.resolve('../../src/files/secret-file.ts'))}
    if (${dies}) {
      const methods = Object.getPrototypeOf(await open(process.execPath))
      methods.sync = () => process.kill(process.pid, 'SIGKILL')
    }
    await ${how}(${JSON.stringify(path)}, ${JSON.stringify(text)})`
  const node = [process.execPath, '--input-type=module', '--eval', program]
  return spawnSync('sh', ['-c', `ulimit -f ${room}; exec "$@"`, 'sh', ...node], {
    encoding: 'utf8',
  })
}

describe('a private file', () => {
  beforeEach(async () => {
    folder = freshFolder()
    path = join(folder, 'secret')
  })

  for (const [how, write] of Object.entries(ways)) {
    it(`is complete, readable only by its owner, and leaves no draft: ${how}`, async () => {
      await write(path, 'text')
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.equal(await readFile(path, 'utf8'), 'text')
      assert.deepEqual(await readdir(folder), ['secret'])
    })

    it(`reaches the disk before its final name does: ${how}`, async (t) => {
      assert.deepEqual(await syncsOf(t, () => write(path, 'text')), [
        'file, named: false',
        'folder, named: true',
      ])
    })

    it(`is never incomplete after a crash: ${how}`, async () => {
      assert.equal(writeInProcess(how, 'text', { dies: true }).signal, 'SIGKILL')
      assert.equal(await readIfThere(path), undefined)
      assert.equal((await readdir(folder)).length, 1, 'the draft')
      await write(path, 'again')
      assert.equal(await readIfThere(path), 'again')
    })

    it(`does not exist if the disk is too full for it: ${how}`, async () => {
      const { stderr, status } = writeInProcess(how, 'x'.repeat(100_000), { room: '8' })
      assert.equal(status, 1)
      assert.match(stderr, /EFBIG/)
      assert.deepEqual(await readdir(folder), [])
    })
  }

  it('keeps its content when another process creates it again', async () => {
    await createSecretFile(path, 'first')
    await createSecretFile(path, 'second')
    assert.equal(await readFile(path, 'utf8'), 'first')
    assert.deepEqual(await readdir(folder), ['secret'])
  })

  it('is created once when many processes create it at the same time', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`)
    const read = texts.map(async (text) => {
      await createSecretFile(path, text)
      return readFile(path, 'utf8')
    })
    assert.equal(new Set(await Promise.all(read)).size, 1)
  })

  it('is either replaced or unchanged after a crash', async () => {
    await writeFile(path, 'old', { mode: 0o644 })
    assert.equal(writeInProcess('replaceSecretFile', 'new', { dies: true }).signal, 'SIGKILL')
    assert.equal(await readFile(path, 'utf8'), 'old')
    await replaceSecretFile(path, 'new')
    assert.equal(await readFile(path, 'utf8'), 'new')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('causes an error if its folder is missing or is a file', async () => {
    await writeFile(path, '')
    await assert.rejects(readIfThere(join(path, 'below')), { code: 'ENOTDIR' })
    await assert.rejects(createSecretFile(join(folder, 'none', 'x'), ''), { code: 'ENOENT' })
  })

  for (const [mode, exposed] of [
    [0o600, undefined],
    [0o400, undefined],
    [0o640, /^is accessible to users other than its owner \(mode 640\)/],
    [0o602, /mode 602/],
    [0o601, /mode 601/],
  ] as const) {
    it(`is ${exposed ? '' : 'not '}exposed with the mode ${mode.toString(8)}`, async () => {
      await writeFile(path, 'text')
      await chmod(path, mode)
      const read = await readPrivateFile(path)
      assert.equal(read.text, 'text')
      if (exposed === undefined) assert.equal(read.exposure, undefined)
      else assert.match(read.exposure ?? '', exposed)
    })
  }

  it('is exposed if another user owns it, whatever its mode', async (t) => {
    await writeFile(path, 'text', { mode: 0o600 })
    const { uid } = await stat(path)
    t.mock.method(process as { geteuid: () => number }, 'geteuid', () => uid + 1)
    const { exposure } = await readPrivateFile(path)
    assert.equal(exposure, `belongs to another user (id ${uid}): run chown on it if you trust it`)
  })
})
