import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { RegisteredApplications } from '../../src/system/registered-applications.ts'

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID())

describe('the record of registered applications', () => {
  let folder: string

  beforeEach(() => {
    folder = freshFolder()
  })

  it('has each ID on disk when its promise resolves, even for many IDs at once', async () => {
    const record = new RegisteredApplications(join(folder, 'made'))
    const ids = newIds(50)
    await Promise.all(
      ids.map(async (id) => {
        await record.add(id)
        assert.ok((await readFile(record.path, 'utf8')).includes(`${id}\n`))
      }),
    )
    const later = newIds(1)
    for (const id of later) await record.add(id)
    assert.deepEqual(await record.read(), new Set([...ids, ...later]))
  })

  it('reports each ID that it cannot write, and writes the next one', async () => {
    await writeFile(join(folder, 'data'), '')
    const record = new RegisteredApplications(join(folder, 'data'))
    const ends = await Promise.allSettled(newIds(3).map((id) => record.add(id)))
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    await rm(join(folder, 'data'))
    const [id = ''] = newIds(1)
    await record.add(id)
    assert.deepEqual(await record.read(), new Set([id]))
  })

  it('reads the IDs from a file that a Windows editor saved', async () => {
    const record = new RegisteredApplications(folder)
    const ids = newIds(2)
    await writeFile(record.path, `\ufeff${ids.join('\r\n')}\r\n`, { mode: 0o600 })
    assert.deepEqual(await record.read(), new Set(ids))
  })

  it('is empty if it is missing, or if others can write to it', async () => {
    const record = new RegisteredApplications(folder)
    assert.deepEqual(await record.read(), new Set())
    for (const id of newIds(1)) await record.add(id)
    await chmod(record.path, 0o666)
    assert.deepEqual(await record.read(), new Set())
  })
})
