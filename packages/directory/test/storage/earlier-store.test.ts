import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'

// acknowledged-commits.system.test.ts has the refusals.
describe('a first start', () => {
  const starts: readonly [title: string, prepare: (dataDir: string) => Promise<unknown>][] = [
    [
      'a first start that stopped before its first commit',
      async (dir) => (await openLocalStorage({ dataDir: dir })).close(),
    ],
    ['a prepared key', (dir) => writeFile(join(dir, 'key-encryption.key'), 'key')],
    ['a new file system', (dir) => mkdir(join(dir, 'lost+found'))],
    ['an empty file of a server', (dir) => writeFile(join(dir, 'seeded.json'), '')],
    [
      'an empty file of acknowledged commits',
      (dir) => writeFile(join(dir, 'greeting.sqlite-acknowledged'), ''),
    ],
    [
      'a draft of a file',
      (dir) => writeFile(join(dir, `seeded.json.${crypto.randomUUID()}`), '{}'),
    ],
  ]
  for (const [title, prepare] of starts)
    it(`is permitted after ${title}`, async () => {
      const dataDir = freshFolder()
      await prepare(dataDir)
      const storage = await openLocalStorage({ dataDir, traces: ['seeded.json'] })
      assert.equal((await storage.directory.latest()).revision, 0)
      await storage.close()
    })
})
