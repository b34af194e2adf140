import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

const bin = join(import.meta.dirname, '../bin/greeting.js')
const temporary = mkdtempSync(join(tmpdir(), 'greeting-compiled-'))
after(() => rmSync(temporary, { recursive: true }))

const folderOf = (caches: string) => join(caches, 'greeting', 'compiled')

const wholeCommand = [bin, 'hi', '--help']
// The choice of the folder alone, because the whole command compiles for much longer.
const choice = `import { enableCompileCache } from '${import.meta.resolve('../bin/compile-cache.js')}'
  enableCompileCache(process.env)`
const choiceAlone = ['--input-type=module', '--eval', choice]

/** Runs Node with a cache folder, and without the settings of this process. */
function run(args: readonly string[], caches: string, environment = {}) {
  const env = { PATH: process.env.PATH, HOME: temporary, XDG_CACHE_HOME: caches, ...environment }
  return spawnSync(process.execPath, args, { encoding: 'utf8', env, cwd: temporary })
}

const isPosix = process.platform === 'linux'

describe('the compile cache', { skip: !isPosix && 'the folders of Linux' }, () => {
  it('is in a folder of the user that no other user can read', () => {
    const caches = join(temporary, 'kept')
    const { status, stderr } = run(wholeCommand, caches)
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(statSync(folderOf(caches)).mode & 0o777, 0o700)
    assert.ok(statSync(folderOf(caches)).nlink > 2, 'Node has a folder in it')
  })

  it('is not used if other users can write to its folder', () => {
    const caches = join(temporary, 'open')
    mkdirSync(folderOf(caches), { recursive: true })
    chmodSync(folderOf(caches), 0o777)
    const { status, stderr } = run(choiceAlone, caches)
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(statSync(folderOf(caches)).nlink, 2)
  })

  it('is not used if its folder cannot be created, and no message is printed', () => {
    const caches = join(temporary, 'file')
    writeFileSync(caches, '')
    const { status, stderr } = run(choiceAlone, caches)
    assert.deepEqual([status, stderr], [0, ''])
  })

  for (const environment of [
    { NODE_COMPILE_CACHE: join(temporary, 'of-node') },
    { NODE_DISABLE_COMPILE_CACHE: '1' },
  ]) {
    it(`is left to Node if ${Object.keys(environment)[0]} is set`, () => {
      const caches = join(temporary, 'left')
      assert.equal(run(choiceAlone, caches, environment).status, 0)
      assert.equal(existsSync(folderOf(caches)), false)
    })
  }
})

describe('the command', () => {
  for (const [args, isLoaded] of [
    [['hi'], false],
    [['hello', '--name', 'Ada'], false],
    [['token'], false],
    [['registrations', 'schema'], true],
  ] as const) {
    it(`${args[0]} ${isLoaded ? 'loads' : 'loads neither'} zod ${isLoaded ? 'and' : 'nor'} the planner`, () => {
      const record = `import { registerHooks } from 'node:module'
        registerHooks({ load: (url, context, next) => { process._rawDebug(url); return next(url, context) } })`
      const hooks = `data:text/javascript,${encodeURIComponent(record)}`
      const { NODE_COMPILE_CACHE = join(temporary, 'of-node'), PATH } = process.env
      const env = { PATH, HOME: temporary, NODE_COMPILE_CACHE }
      const { stderr } = spawnSync(process.execPath, ['--import', hooks, bin, ...args], {
        encoding: 'utf8',
        env,
        cwd: temporary,
      })
      assert.match(stderr, /cli\/src\/main\.ts/)
      assert.equal(/node_modules\/zod\//.test(stderr), isLoaded)
      assert.equal(/registrations\/src\/planning\/plan\.ts/.test(stderr), isLoaded)
    })
  }
})
