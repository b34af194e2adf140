import assert from 'node:assert/strict'
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { npmScript, run, runtimes } from './program.ts'
import { tarballOf } from './tarball.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/guides/installing.md'), 'utf8')

/** The remedy of a fault: the second cell of its row. */
function remedyOf(fault: string): string {
  const row = page.split('\n').find((line) => line.startsWith('| ') && line.includes(fault))
  assert.ok(row, `docs/guides/installing.md has no row for ${fault}`)
  return row.split(' | ')[1] ?? ''
}

/** A fault of an import, the message of Node, and the remedy of the page. */
const importFaults = [
  {
    title: 'a missing peer',
    code: `await import('@greeting/guard/express')`,
    message: "Cannot find package 'express'",
    remedy: /npm install express/,
  },
  {
    title: 'an import that is not exported',
    code: `await import('@greeting/guard/lib/guard.js')`,
    message: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    remedy: /Import a subpath/,
  },
]

describe('a faulty installation', () => {
  const consumer = new Consumer().install('guard').install('client')
  after(() => consumer[Symbol.dispose]())

  for (const { title, code, message, remedy } of importFaults) {
    it(`with ${title} fails with a message that docs/guides/installing.md explains`, () => {
      const { status, stderr } = run(
        process.execPath,
        ['--input-type=module', '--eval', code],
        consumer.folder,
      )
      assert.equal(status, 1)
      assert.ok(stderr.includes(message), stderr)
      assert.match(remedyOf(message), remedy)
    })
  }

  it('with two copies of the guard and of the client works like a normal installation', () => {
    const copy = join(consumer.folder, 'other/node_modules/@greeting')
    cpSync(join(consumer.folder, 'node_modules/@greeting'), copy, { recursive: true })
    consumer.write('other/guard.js', `export { createGuard, entra } from '@greeting/guard'`)
    consumer.write(
      'other/client.js',
      `export { clientSecret, createTokenSource } from '@greeting/client'`,
    )
    const file = consumer.write(
      'two-copies.js',
      `import { fetchWithToken, isClientFailure } from '@greeting/client'
      import { guardedFetch } from '@greeting/guard/web'
      import { clientSecret, createTokenSource } from './other/client.js'
      import { createGuard, entra } from './other/guard.js'
      const guard = createGuard(entra({
        tenantId: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
        apiApplicationId: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
        roles: ['CallHiApiRole'],
      }))
      const answer = guardedFetch(guard, '/api', { 'GET /a': { role: 'CallHiApiRole', handler: () => new Response() } })
      for (const path of ['a', 'b']) console.log((await answer(new Request('https://a.example/api/' + path))).status)
      globalThis.fetch = async () => Response.json({ error: 'invalid_client' }, { status: 401 })
      const tokens = createTokenSource({
        authority: 'https://a.example/t', clientId: 'c', scope: 's', credential: clientSecret('s'),
      })
      const error = await fetchWithToken({ baseUrl: 'https://b.example', tokens })('/').catch((cause) => cause)
      console.log(isClientFailure(error), error.code)`,
    )
    const { stdout, stderr } = run(process.execPath, [file], consumer.folder)
    assert.equal(stdout, '401\n401\ntrue credential_refused\n', stderr)
    assert.match(remedyOf('two copies'), /`npm dedupe` leaves one/)
  })
})

describe('an outdated Node version', () => {
  const commands = [
    ['cli', 'greeting'],
    ['api', 'greeting-api'],
    ['identity-provider', 'greeting-identity-provider'],
  ] as const
  for (const [name, command] of commands) {
    it(`causes one sentence from npm and one from the program for ${command}`, () => {
      using consumer = new Consumer()
      const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarballOf(name)]
      const warned = run(runtimes['Node 22'], [npmScript(), ...install], consumer.folder, {
        npm_config_loglevel: 'warn',
      })
      assert.match(warned.stderr, /EBADENGINE/)
      assert.match(remedyOf('EBADENGINE'), /Install the version that npm names/)
      const bin = join(consumer.folder, `node_modules/@greeting/${name}/bin/${command}.js`)
      const { status, stderr } = run(runtimes['Node 22'], [bin], consumer.folder)
      assert.equal(status, 1)
      assert.match(
        stderr,
        new RegExp(
          `^${command} needs Node 24 or newer, and this is Node 22\\.[\\d.]+\\. Install Node 24`,
        ),
      )
      assert.match(remedyOf('needs Node 24 or newer'), /Install the named one/)
    })
  }
})

describe('a read-only node_modules folder', () => {
  const consumer = new Consumer().install('cli')
  const modules = join(consumer.folder, 'node_modules')
  const bin = join(modules, '@greeting/cli/bin/greeting.js')
  after(() => consumer[Symbol.dispose]())

  /** Each file and folder with the time of its last change. A user who may write is found too. */
  const changeTimes = () =>
    readdirSync(modules, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((file) => `${file} ${statSync(join(modules, file)).mtimeMs}`)

  it('needs no action, because the command writes nothing there', () => {
    const before = changeTimes()
    chmodSync(modules, 0o555)
    const help = run(process.execPath, [bin, '--help'], consumer.folder)
    const doctor = run(process.execPath, [bin, 'doctor'], consumer.folder)
    chmodSync(modules, 0o755)
    assert.equal(help.status, 0, help.stderr)
    assert.equal(doctor.status, 2, doctor.stderr)
    assert.deepEqual(changeTimes(), before)
    assert.match(remedyOf('a read-only `node_modules`'), /No action is needed/)
  })
})
