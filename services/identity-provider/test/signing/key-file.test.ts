import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { keyFromFile } from '../../src/signing/open-keys.ts'

const folder = freshFolder()
let count = 0
const freshPath = () => join(folder, `key-${++count}`)

describe('the key file', () => {
  it('is created with mode 0600 if nothing is encrypted yet, and read afterwards', async () => {
    const path = freshPath()
    const made = await keyFromFile({ path, keysExist: false })
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    for (const keysExist of [false, true]) {
      assert.equal((await keyFromFile({ path, keysExist })).id, made.id)
    }
  })

  it('is read correctly with a byte order mark', async () => {
    const path = freshPath()
    const made = await keyFromFile({ path, keysExist: false })
    await writeFile(path, `\ufeff${await readFile(path, 'utf8')}\r\n`)
    assert.equal((await keyFromFile({ path, keysExist: true })).id, made.id)
  })

  it('is created once when several processes start at the same time, and no draft remains', async () => {
    const path = join(folder, 'race', 'key')
    await mkdir(join(folder, 'race'))
    const keys = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await setTimeout(index % 8)
        return keyFromFile({ path, keysExist: false })
      }),
    )
    assert.equal(new Set(keys.map(({ id }) => id)).size, 1)
    assert.deepEqual(await readdir(join(folder, 'race')), ['key'])
  })

  it('is not recreated while stored keys depend on the missing file', async () => {
    const path = freshPath()
    await assert.rejects(keyFromFile({ path, keysExist: true }), {
      code: 'key_encryption_key_missing',
      message: /missing\. Restore it, or set KEY_ENCRYPTION_KEY\. Nothing was changed\./,
    })
    await assert.rejects(stat(path), { code: 'ENOENT' })
  })

  for (const mode of [0o640, 0o604, 0o666]) {
    it(`is refused when its mode is ${mode.toString(8)}`, async () => {
      const path = freshPath()
      await keyFromFile({ path, keysExist: false })
      await chmod(path, mode)
      await assert.rejects(keyFromFile({ path, keysExist: true }), {
        code: 'key_file_exposed',
        message: new RegExp(`mode ${mode.toString(8)}.*chmod 600`),
      })
    })
  }

  it('is refused when it belongs to another user', async (t) => {
    const path = freshPath()
    await keyFromFile({ path, keysExist: false })
    const { uid } = await stat(path)
    t.mock.method(process as { geteuid: () => number }, 'geteuid', () => uid + 1)
    await assert.rejects(keyFromFile({ path, keysExist: true }), {
      code: 'key_file_exposed',
      message: `The key file ${path} belongs to another user (id ${uid}): run chown on it if you trust it.`,
    })
  })

  for (const content of ['', 'not a key\n', `${'A'.repeat(43)}=\nmore\n`]) {
    it(`is refused and unchanged when it contains ${JSON.stringify(content)}`, async () => {
      const path = freshPath()
      await writeFile(path, content, { mode: 0o600 })
      await assert.rejects(keyFromFile({ path, keysExist: false }), {
        code: 'key_encryption_key_malformed',
      })
      assert.equal(await readFile(path, 'utf8'), content)
    })
  }

  it('causes a one-sentence error if its folder is unusable', async () => {
    const path = freshPath()
    await writeFile(path, '', { mode: 0o600 })
    await assert.rejects(keyFromFile({ path: join(path, 'key'), keysExist: false }), {
      code: 'key_file_unusable',
      message: /^The key file .* cannot be used: ENOTDIR/,
    })
  })
})
