import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { RotatingLog } from '../../src/system/rotating-log.ts'

function logFolder() {
  const folder = freshFolder()
  return { folder, path: join(folder, 'a.log'), previousPath: join(folder, 'a.previous.log') }
}

async function write(log: RotatingLog, ...lines: string[]): Promise<void> {
  for (const line of lines) log.write(line)
  log.end()
  await once(log, 'finish')
}

describe('the log of a service (AS34)', () => {
  it('is rotated by size while the service runs, and keeps one previous file', async () => {
    const { folder, path, previousPath } = logFolder()
    const lines = Array.from({ length: 100 }, (_, number) => `line ${number}\n`.padStart(50))
    await write(new RotatingLog({ path, previousPath, maxBytes: 1000 }), ...lines)
    assert.deepEqual((await readdir(folder)).sort(), ['a.log', 'a.previous.log'])
    for (const file of [path, previousPath]) {
      assert.ok((await stat(file)).size <= 1000)
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    }
    const kept = (await readFile(previousPath, 'utf8')) + (await readFile(path, 'utf8'))
    assert.equal(kept, lines.slice(-40).join(''))
  })

  it('includes the text of an earlier run in its size', async () => {
    const { path, previousPath } = logFolder()
    await writeFile(path, 'x'.repeat(900))
    await write(new RotatingLog({ path, previousPath, maxBytes: 1000 }), 'a\n', 'y'.repeat(200))
    assert.equal(await readFile(path, 'utf8'), 'y'.repeat(200))
  })

  it('stays bounded even if the previous file cannot be kept', async () => {
    const { path, previousPath } = logFolder()
    await mkdir(previousPath)
    const lines = Array.from({ length: 50 }, () => 'x'.repeat(100))
    await write(new RotatingLog({ path, previousPath, maxBytes: 1000 }), ...lines)
    assert.ok((await stat(path)).size <= 1000)
  })

  it('never stops the service, because text that cannot be written is dropped', async () => {
    const { folder, previousPath } = logFolder()
    const path = join(folder, 'missing', 'a.log')
    const log = new RotatingLog({ path, previousPath, maxBytes: 1000 })
    log.on('error', (error) => assert.fail(error))
    const written = new Promise((resolve) => log.write('lost\n', resolve))
    await written
    await mkdir(join(folder, 'missing'))
    await write(log, 'kept\n')
    assert.equal(await readFile(path, 'utf8'), 'kept\n')
  })
})
