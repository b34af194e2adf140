import assert from 'node:assert/strict'
import { stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { makeFolder } from '../../src/files/make-folder.ts'

describe('makeFolder', () => {
  const root = freshFolder()
  before(async () => {
    await writeFile(join(root, 'file'), '')
    await symlink(root, join(root, 'link'))
  })

  it('creates the missing folders of a path for the owner only', async () => {
    await makeFolder(join(root, 'a/b/c'))
    for (const path of ['a', 'a/b', 'a/b/c']) {
      const { mode } = await stat(join(root, path))
      if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o700, path)
    }
  })

  it('accepts an existing folder, whether by its path or by a link', async () => {
    for (const path of ['.', 'link', '/']) await makeFolder(join(root, path))
  })

  it('creates one folder for several simultaneous calls', async () => {
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(join(root, 'd/e/f'))))
    assert.ok((await stat(join(root, 'd/e/f'))).isDirectory())
  })

  const refusals: [what: string, path: () => string, code: string][] = [
    ['a file', () => join(root, 'file'), 'EEXIST'],
    ['a path below a file', () => join(root, 'file/data'), 'ENOTDIR'],
    ['an empty path', () => '', 'ENOENT'],
  ]
  // The kernel of Linux gives these folders no new names, with ENOENT.
  if (process.platform === 'linux')
    refusals.push(
      ['a file system that refuses new names', () => '/proc/none', 'ENOENT'],
      ['a path below such a refusal', () => '/proc/none/a/b', 'ENOENT'],
    )
  for (const [what, path, code] of refusals) {
    it(`refuses ${what} without retrying forever`, { timeout: 10_000 }, async () => {
      await assert.rejects(makeFolder(path()), { code })
    })
  }
})
