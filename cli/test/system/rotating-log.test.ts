import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { RotatingLog } from '../../src/system/rotating-log.ts'

async function logFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-log-'))
  t.after(() => rm(folder, { recursive: true }))
  return { folder, path: join(folder, 'a.log'), previousPath: join(folder, 'a.previous.log') }
}

async function write(log: RotatingLog, ...lines: string[]): Promise<void> {
  for (const line of lines) log.write(line)
  log.end()
  await once(log, 'finish')
}

describe('the log of a service (AS34)', () => {
  it('is rotated by size while the service runs, and keeps one previous part', async (t) => {
    const { folder, path, previousPath } = await logFolder(t)
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

  it('counts what an earlier run wrote to the file', async (t) => {
    const { path, previousPath } = await logFolder(t)
    await writeFile(path, 'x'.repeat(900))
    await write(new RotatingLog({ path, previousPath, maxBytes: 1000 }), 'a\n', 'y'.repeat(200))
    assert.equal(await readFile(path, 'utf8'), 'y'.repeat(200))
  })

  it('stays bounded when the previous part cannot be kept', async (t) => {
    const { path, previousPath } = await logFolder(t)
    await mkdir(previousPath)
    const lines = Array.from({ length: 50 }, () => 'x'.repeat(100))
    await write(new RotatingLog({ path, previousPath, maxBytes: 1000 }), ...lines)
    assert.ok((await stat(path)).size <= 1000)
  })

  it('never stops the service: text that cannot be written is dropped', async (t) => {
    const { folder, previousPath } = await logFolder(t)
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
