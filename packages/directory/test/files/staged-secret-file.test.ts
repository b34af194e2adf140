import assert from 'node:assert/strict'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { recoverSecretFile, stageSecretFile } from '../../src/files/staged-secret-file.ts'

const minuteMs = 60_000
const now = new Date()

let folder: string
let path: string

const draft = () => stageSecretFile(path, 'text')
const recover = (isKnown: (text: string) => boolean) => recoverSecretFile(path, isKnown, now)

// A hook at the root of the file would run before every test of the process.
const useFreshFolder = () => {
  beforeEach(async () => {
    folder = freshFolder()
    path = join(folder, 'secret.json')
  })
}

describe('a draft of a private file', () => {
  useFreshFolder()

  it('is readable only by its owner, and not at the final path', async () => {
    await draft()
    const [name = ''] = await readdir(folder)
    assert.match(name, /^secret\.json\.[0-9a-f-]{36}$/)
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
    assert.equal(await readFile(join(folder, name), 'utf8'), 'text')
  })

  it('moves to the final path when it is kept', async () => {
    await (await draft()).keep()
    assert.deepEqual(await readdir(folder), ['secret.json'])
    assert.equal(await readFile(path, 'utf8'), 'text')
  })

  it('is removed when it is discarded', async () => {
    await (await draft()).discard()
    assert.deepEqual(await readdir(folder), [])
  })

  it('may already be moved or removed by another server', async () => {
    const { keep, discard } = await draft()
    await keep()
    await keep()
    await discard()
    assert.deepEqual(await readdir(folder), ['secret.json'])
  })
})

describe('the drafts after a crash', () => {
  useFreshFolder()

  for (const [what, ageMinutes, isKnown, left] of [
    ['young and known', 0, true, ['secret.json']],
    ['old and known', 61, true, ['secret.json']],
    ['young and unknown', 59, false, ['a draft']],
    ['old and unknown', 61, false, []],
  ] as const) {
    it(`result in ${left[0] ?? 'no file'} if they are ${what}`, async () => {
      await draft()
      const [name = ''] = await readdir(folder)
      const at = new Date(now.getTime() - ageMinutes * minuteMs)
      await utimes(join(folder, name), at, at)
      await recover((text) => isKnown && text === 'text')
      const names = await readdir(folder)
      assert.deepEqual(
        names.map((one) => (one === name ? 'a draft' : one)),
        left,
      )
    })
  }

  it('are not removed if they have other names', async () => {
    const others = ['secret.json', 'secret.json.bak', `other.json.${crypto.randomUUID()}`]
    for (const name of others) {
      await writeFile(join(folder, name), '')
      await utimes(join(folder, name), 0, 0)
    }
    await recover(() => assert.fail('it was read'))
    assert.deepEqual((await readdir(folder)).toSorted(), others.toSorted())
  })
})
