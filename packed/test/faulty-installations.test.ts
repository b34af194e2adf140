import assert from 'node:assert/strict'
import { chmodSync, cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Consumer } from '../consumer.ts'
import { run, runtimes } from '../program.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/installing.md'), 'utf8')

/** A fault of an installation, the program that meets it, and the words that its page quotes. */
const faults = [
  {
    title: 'a missing peer',
    code: `await import('@greeting/guard/express')`,
    words: /Cannot find package 'express'/,
  },
  {
    title: 'an import that is not exported',
    code: `await import('@greeting/guard/lib/guard.js')`,
    words: /ERR_PACKAGE_PATH_NOT_EXPORTED/,
  },
]

describe('a faulty installation', () => {
  const consumer = new Consumer().install('guard')
  after(() => consumer[Symbol.dispose]())

  for (const { title, code, words } of faults) {
    it(`with ${title} fails with the words of docs/guides/installing.md`, () => {
      const { status, stderr } = run(
        process.execPath,
        ['--input-type=module', '--eval', code],
        consumer.folder,
      )
      assert.equal(status, 1)
      assert.match(stderr, words)
      assert.match(page, words)
    })
  }

  it('with two copies of the guard decides as with one', () => {
    const copy = join(consumer.folder, 'other/node_modules/@greeting/guard')
    cpSync(join(consumer.folder, 'node_modules/@greeting/guard'), copy, { recursive: true })
    consumer.write('other/guard.js', `export { createGuard, entra } from '@greeting/guard'`)
    const file = consumer.write(
      'two-copies.js',
      `import { guardedFetch } from '@greeting/guard/web'
      import { createGuard, entra } from './other/guard.js'
      const guard = createGuard(entra({
        tenantId: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
        apiApplicationId: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
        roles: ['CallHiApiRole'],
      }))
      const answer = guardedFetch(guard, '/api', { 'GET /a': { role: 'CallHiApiRole', handler: () => new Response() } })
      for (const path of ['a', 'b']) console.log((await answer(new Request('https://a.example/api/' + path))).status)`,
    )
    const { stdout, stderr } = run(process.execPath, [file], consumer.folder)
    assert.equal(stdout, '401\n401\n', stderr)
  })
})

it('the command on a Node too old ends with one sentence that says what to do', () => {
  using consumer = new Consumer().install('cli')
  const bin = join(consumer.folder, 'node_modules/@greeting/cli/bin/greeting.js')
  const { status, stderr } = run(runtimes['Node 22'], [bin, 'hi'], consumer.folder)
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^greeting needs Node 24 or newer, and this is Node 22\.[\d.]+\. Install Node 24/,
  )
})

it('the command runs from a folder that it cannot write to', () => {
  using consumer = new Consumer().install('cli')
  const modules = join(consumer.folder, 'node_modules')
  chmodSync(modules, 0o555)
  const bin = join(modules, '@greeting/cli/bin/greeting.js')
  const { status, stdout } = run(process.execPath, [bin, '--help'], consumer.folder)
  chmodSync(modules, 0o755)
  assert.equal(status, 0)
  assert.notEqual(stdout, '')
})
