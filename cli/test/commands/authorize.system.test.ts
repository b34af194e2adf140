import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'

const ids = {
  TENANT_ID: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
  API_APPLICATION_ID: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
  AUTH_URL: 'http://127.0.0.1:9',
}

const greeting = (args: readonly string[], settings: Record<string, string> = ids) =>
  spawn(process.execPath, [join(import.meta.dirname, '../../bin/greeting.js'), ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

describe('greeting authorize', () => {
  it('runs the authorizer until a signal', async () => {
    const file = join(freshFolder(), 'rules.json')
    writeFileSync(file, '{ "rules": [{ "prefix": "/", "public": true }] }')
    const child = greeting(['authorize', '--rules', file, '--proxy', 'envoy', '--port', '0'])
    for await (const row of createInterface(child.stdout)) {
      const { msg, url } = JSON.parse(row)
      if (msg !== 'listening') continue
      assert.equal((await fetch(`${url}/authorize/any`)).status, 200)
      break
    }
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })

  const main = join(import.meta.dirname, '../../../services/authorizer/src/main.ts')
  for (const name of ['service', 'command'] as const)
    it(`reads the rules again after SIGHUP to the ${name}, even if they are unchanged`, async () => {
      const file = join(freshFolder(), 'rules.json')
      writeFileSync(file, '{}')
      const settings = { ...ids, RULES_FILE: file, PROXY: 'caddy', PORT: '0' }
      const child =
        name === 'command'
          ? greeting(['authorize'], settings)
          : spawn(process.execPath, [main], {
              env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
              stdio: ['ignore', 'pipe', 'inherit'],
            })
      for await (const row of createInterface(child.stdout)) {
        const { msg } = JSON.parse(row)
        if (msg === 'listening') child.kill('SIGHUP')
        if (msg === 'the new rules are in force') break
      }
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
    })

  const rows: readonly [args: readonly string[], code: number, message: RegExp][] = [
    [[], 2, /RULES_FILE is not set; expected the file of rules\n {2}PROXY is not set/],
    [['--rules', 'none.json', '--proxy', 'squid'], 2, /PROXY is "squid"; expected nginx/],
    [
      ['--rules', 'none.json', '--proxy', 'nginx'],
      1,
      /cannot start: none\.json does not exist\.\n/,
    ],
    [['--unknown'], 2, /unknown option/],
  ]
  for (const [args, code, message] of rows) {
    it(`${args.join(' ')} exits with ${code}`, async () => {
      const child = greeting(['authorize', ...args])
      const [error, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      assert.match(error, message)
      assert.equal(exitCode, code)
    })
  }

  it('exits with 1 for an error in the rules, and names the line', async () => {
    const file = join(freshFolder(), 'rules.json')
    writeFileSync(file, '{ "rules": [\n{ "prefix": "/" }] }')
    const child = greeting(['authorize', '--rules', file, '--proxy', 'nginx'])
    const [error, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.match(
      error,
      /rules\.json is no valid file of rules: line 2: rules\[0\] must have one of/,
    )
    assert.equal(exitCode, 1)
  })
})
