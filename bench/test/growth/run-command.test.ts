import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { it } from 'node:test'
import { cpuSecondsOf, runCommand } from '../../growth/run-command.ts'

it('the processor time is that of the children, in the last line of the shell', () => {
  assert.equal(cpuSecondsOf('a message\n0m9.0s 0m9.0s\n1m2.500000s 0m0.25s\n'), 62.75)
  assert.ok(Number.isNaN(cpuSecondsOf('no times')))
})

it('a command has its wall time and its processor time', async () => {
  const { wallSeconds, cpuSeconds } = await runCommand([process.execPath, '-e', '0'], {}, tmpdir())
  assert.ok(wallSeconds > 0)
  assert.ok(cpuSeconds > 0)
})

it('a command that fails is an error with its exit code and its message', async () => {
  const script = 'console.error("no directory"); process.exitCode = 3'
  const run = runCommand([process.execPath, '-e', script], {}, tmpdir())
  await assert.rejects(run, /ended with 3: no directory/)
})
