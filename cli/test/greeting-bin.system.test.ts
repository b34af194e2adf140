import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'

const bin = join(import.meta.dirname, '../bin/greeting.js')

describe('the greeting command', () => {
  it('reports an outdated Node version in one line, and exits with 1', () => {
    const asNode20 = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.0'}})`
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', asNode20, bin, 'hi'],
      {
        encoding: 'utf8',
      },
    )
    assert.equal(status, 1)
    assert.equal(stdout, '')
    assert.equal(
      stderr,
      'greeting needs Node 24 or newer, and this is Node 20.11.0. Install Node 24 or newer. In a clone of the repository, "npm ci" installs it on Linux and Windows.\n',
    )
  })

  it('runs on the current Node version, and returns the exit code', () => {
    const { status, stderr } = spawnSync(process.execPath, [bin, 'hello'], { encoding: 'utf8' })
    assert.equal(status, 2)
    assert.match(stderr, /required option '--name <name>' not specified/)
  })

  it('uses its name on the path in messages, for example in an image', () => {
    const folder = freshFolder()
    const link = join(folder, 'greeting')
    symlinkSync(bin, link)
    const options = { cwd: folder, encoding: 'utf8' } as const
    const { stderr } = spawnSync(process.execPath, [link, 'keys', 'list'], options)
    assert.match(stderr, /run "greeting start"/)
  })
})
