import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { greetingProgram } from '../../src/program.ts'
import { fakeServices } from '../fakes/services.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

async function scriptFor(shell: string): Promise<string> {
  const terminal = new RecordedTerminal()
  assert.equal(await terminal.run(['completion', shell]), 0)
  return terminal.out
}

const program = await greetingProgram(new RecordedTerminal().terminal(), fakeServices)
const commands = program.commands.map((command) => command.name())

describe('greeting completion', () => {
  const rows: readonly (readonly [readonly string[], readonly string[]])[] = [
    [
      ['greeting', ''],
      [...commands, '--help'],
    ],
    [
      ['greeting', 'he'],
      ['hello', 'help'],
    ],
    [
      ['greeting', 'token', '--d'],
      ['--deadline', '--decode'],
    ],
    [['greeting', 'hello', '--n'], ['--name']],
    [['greeting', 'hello', '--name', 'x', '--dea'], ['--deadline']],
    [['greeting', 'registrations', 'pl'], ['plan']],
    [['greeting', 'registrations', 'plan', '--det'], ['--detailed-exit-code']],
    [['greeting', 'audit', '--corr'], ['--correlation-id']],
    [['greeting', 'nothing', '--'], []],
  ]
  for (const [words, expected] of rows) {
    it(`completes "${words.join(' ')}" in bash`, async () => {
      const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _greeting; echo "\${COMPREPLY[*]}"`
      const script = `${await scriptFor('bash')}\n${ask}`
      const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
      assert.deepEqual(printed.trim().split(' ').filter(Boolean), expected)
    })
  }

  it('names every command and option for zsh and fish', async () => {
    for (const shell of ['zsh', 'fish']) {
      const script = await scriptFor(shell)
      for (const command of commands) assert.match(script, new RegExp(`\\b${command}\\b`))
      assert.match(script, /fail-after/)
    }
  })

  it('refuses other shells', async () => {
    const terminal = new RecordedTerminal()
    assert.equal(await terminal.run(['completion', 'tcsh']), 2)
    assert.match(terminal.err, /The supported shells are bash, zsh, fish/)
  })
})
