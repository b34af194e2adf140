import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { openLogOutput } from '../../src/process/run-service.ts'

describe('the log output of a process', () => {
  it('contains all lines after the process has exited', async () => {
    const folder = freshFolder()
    const file = join(folder, 'log')
    const { stream, end } = openLogOutput(openSync(file, 'w'))
    const log = pino({}, stream)
    for (let line = 0; line < 100; line += 1) log.info(`line ${line}`)
    await end()
    assert.equal(readFileSync(file, 'utf8').match(/"msg":"line \d+"/g)?.length, 100)
  })

  it('is complete even if nothing can be written', async () => {
    const fd = openSync('/dev/null', 'r')
    const { stream, end } = openLogOutput(fd)
    pino({}, stream).info('lost')
    await end()
    closeSync(fd)
  })
})
