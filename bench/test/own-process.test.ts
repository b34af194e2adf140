import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

/** A run that starts two processes, holds one of them, tells their ids and then does what is given. */
const runThat = (ends: string): string => `
import { spawn } from 'node:child_process'
import { endWithRun } from '${new URL('../harness/own-process.ts', import.meta.url)}'
const start = () => endWithRun(spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']))
const [idle, held] = [start(), start()]
held.kill('SIGSTOP')
console.log(idle.pid + ' ' + held.pid)
${ends}`

const isUp = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('what a run has started', () => {
  const ends: readonly [string, string][] = [
    ['comes to its end', 'process.exit()'],
    ['breaks', "throw new Error('broken')"],
    [
      'is told to end',
      "process.once('SIGTERM', () => process.exit(143)); process.kill(process.pid)",
    ],
  ]
  for (const [how, what] of ends) {
    it(`ends with it when it ${how}, held or not`, async () => {
      const run = spawn(process.execPath, ['--input-type=module', '--eval', runThat(what)])
      let printed = ''
      run.stdout.on('data', (chunk) => {
        printed += chunk
      })
      await once(run, 'close')
      const pids = printed.split(' ').map(Number)
      assert.equal(pids.length, 2)
      while (pids.some(isUp)) await wait(5)
    })
  }
})
