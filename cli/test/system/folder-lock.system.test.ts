import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { FolderLock } from '../../src/system/data-folder.ts'

describe('the lock of a data folder', () => {
  it('is held by one process at a time, and is free after its release', () => {
    const file = join(freshFolder(), 'start.lock')
    const lock = FolderLock.take(file)
    assert.ok(lock)
    // Twice, because a failed attempt must not release the lock.
    for (const _ of [1, 2, 3]) assert.equal(FolderLock.take(file), undefined)
    lock.release()
    const next = FolderLock.take(file)
    assert.ok(next)
    next.release()
  })

  it('excludes other processes, and is released when its process is killed', async (test) => {
    const file = join(freshFolder(), 'start.lock')
    const module = join(import.meta.dirname, '../../src/system/data-folder.ts')
    const program = `
      import { FolderLock } from ${JSON.stringify(module)}
      globalThis.lock = FolderLock.take(${JSON.stringify(file)})
      process.stdout.write('taken')
      setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program])
    test.after(() => holder.kill('SIGKILL'))
    const exited = once(holder, 'exit')
    const [taken] = await Promise.race([once(holder.stdout, 'data'), exited])
    assert.equal(String(taken), 'taken')
    assert.equal(FolderLock.take(file), undefined)
    holder.kill('SIGKILL')
    await exited
    assert.ok(existsSync(file), 'the file stays, without a lock')
    const lock = FolderLock.take(file)
    assert.ok(lock)
    lock.release()
  })

  it('is readable only by the owner, so that no other user can hold the lock', () => {
    const file = join(freshFolder(), 'start.lock')
    FolderLock.take(file)?.release()
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })
})
