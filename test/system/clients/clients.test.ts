import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root } from '../greeting-process.ts'
import { type SharedSystem, sharedSystem } from '../shared-system.ts'
import { index, testClients } from './client-tests.ts'
import { runSection } from './program-run.ts'
import { refusals } from './situations.ts'

testClients(
  [
    { name: 'openid-client', file: 'oauth', prints: '200 Hi' },
    { name: 'oauth4webapi', file: 'oauth', prints: '200 Hi' },
    { name: 'curl', file: 'oauth', prints: 'Hi' },
  ],
  join(root, 'node_modules'),
)

describe('docs/guides/clients/README.md', () => {
  let system: SharedSystem
  before(async () => {
    system = await sharedSystem()
  })

  it('loads the settings of the system into a shell', async () => {
    const [, line = ''] = /^(set -a; .*)$/m.exec(index) ?? []
    const shell = { shell: `${line}\nenv`, module: undefined, heading: '' }
    const { stdout } = await runSection(shell, {}, system.folder)
    const lines = stdout.split('\n')
    for (const [name, value] of Object.entries(system.clientSettings))
      assert.ok(lines.includes(`${name}=${value}`), name)
  })

  it('lists every refusal with its code', () => {
    for (const { what, code } of refusals)
      assert.match(index, RegExp(`^\\| ${what} \\| .*${code}`, 'm'))
  })
})
