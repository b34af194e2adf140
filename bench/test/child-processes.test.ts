import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { outputOf, startServer } from '../harness/child-processes.ts'

const node = (program: string): string[] => [process.execPath, '--eval', program]

describe('the output of a program', () => {
  it('is complete when the expected line is printed, and the program is ended', async () => {
    const program =
      "console.error('first'); console.log('done'); setInterval(() => undefined, 1000)"
    const output = await outputOf(node(program), [], /^done$/m)
    assert.match(output, /^done$/m)
  })

  const broken: readonly [string, string[], RegExp][] = [
    ['fails', node('console.error("no such server"); process.exitCode = 1'), /no such server/],
    ['ends without the expected line', node(''), /ended and printed: $/],
    ['is not installed', ['no-such-program'], /ENOENT/],
  ]
  for (const [name, command, message] of broken) {
    it(`is an error when the program ${name}`, async () => {
      await assert.rejects(outputOf(command, [], /^done$/m), message)
    })
  }
})

describe('a server', () => {
  const start = (program: string, pollUrl?: string) =>
    startServer(
      { command: node(program), environment: {}, folder: '.', ...(pollUrl && { pollUrl }) },
      [],
    )

  it('is started when it prints that it listens, and can be stopped', async () => {
    const url = 'http://127.0.0.1:1'
    const program = `console.log('warning'); console.log('${JSON.stringify({ msg: 'listening', url })}')
      setInterval(() => undefined, 1000)`
    const server = await start(program)
    assert.equal(server.url, url)
    await server.stop()
  })

  it('that ends instead is an error with its stderr', async () => {
    await assert.rejects(start("console.error('no settings')"), /ended with 0: no settings/)
  })

  it('that ends instead of answering is an error too', async () => {
    await assert.rejects(start('', 'http://127.0.0.1:1'), /ended with 0/)
  })
})

/**
 * A run that starts two processes, stops one with a signal, prints their IDs and then ends in this
 * way.
 */
const runThat = (ends: string): string => `
import { spawn } from 'node:child_process'
import { killAtExit } from '${new URL('../harness/child-processes.ts', import.meta.url)}'
const start = () => killAtExit(spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']))
const [idle, suspended] = [start(), start()]
suspended.kill('SIGSTOP')
console.log(idle.pid + ' ' + suspended.pid)
${ends}`

const isUp = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('child processes', () => {
  const ends: readonly [string, string][] = [
    ['exits', 'process.exit()'],
    ['fails', "throw new Error('broken')"],
    [
      'is terminated',
      "process.once('SIGTERM', () => process.exit(143)); process.kill(process.pid)",
    ],
  ]
  for (const [how, what] of ends) {
    it(`end with their parent when it ${how}, suspended or not`, async () => {
      const run = spawn(process.execPath, ['--input-type=module', '--eval', runThat(what)])
      let printed = ''
      run.stdout.on('data', (chunk) => {
        printed += chunk
      })
      await once(run, 'close')
      const pids = printed.split(' ').map(Number)
      assert.equal(pids.length, 2)
      while (pids.some(isUp)) await sleep(5)
    })
  }
})
