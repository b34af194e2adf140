import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'

const held = join(import.meta.dirname, '../bin/held-service.js')

const printsPort = `console.log('port ' + process.env.PORT); process.disconnect?.()`

/** A held service whose modules print when they run; `service` is left out when it is undefined. */
function start(test: TestContext, service: string | undefined, program = printsPort) {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-held-'))
  const main = join(folder, 'main.ts')
  writeFileSync(main, program)
  if (service !== undefined) writeFileSync(join(folder, 'service.ts'), service)
  const child = fork(held, [main], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  test.after(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return { child, ended: once(child, 'close'), text: () => text }
}

describe('a held service', () => {
  it('loads its modules, and runs when its settings arrive', async (test) => {
    const { child, ended, text } = start(test, `console.log('loaded')`)
    await once(child.stdout ?? child, 'data')
    assert.equal(text(), 'loaded\n')
    child.send({ PORT: '4000' })
    assert.deepEqual(await ended, [0, null])
    assert.equal(text(), 'loaded\nport 4000\n')
  })

  it('runs when its modules could not be loaded before', async (test) => {
    const { child, ended, text } = start(test, undefined)
    child.send({ PORT: '4000' })
    await ended
    assert.equal(text(), 'port 4000\n')
  })

  it('ends without running when its parent ends before the settings', async (test) => {
    const { child, text } = start(test, `console.log('loaded')`)
    await once(child.stdout ?? child, 'data')
    const exited = once(child, 'exit')
    child.disconnect()
    assert.deepEqual(await exited, [0, null])
    assert.equal(text(), 'loaded\n')
  })
})
