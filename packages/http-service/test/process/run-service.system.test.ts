import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runService } from '../../src/process/run-service.ts'
import { SettingsError } from '../../src/settings/settings-reader.ts'

class Exit extends Error {}

/** A fake of `process`: it collects exit codes and the text on stderr. */
function fakeProcess(connected?: boolean) {
  const exits: number[] = []
  const texts: string[] = []
  const fake = Object.assign(new EventEmitter(), {
    env: {},
    argv: [],
    pid: 1,
    connected,
    send: connected === undefined ? undefined : () => true,
    stderr: { write: (text: string) => texts.push(text) },
    exit: (code: number) => {
      exits.push(code)
      if (code !== 0) throw new Exit()
    },
  })
  return { host: fake as unknown as NodeJS.Process, exits, texts }
}

const noDeadline = () => () => {}

const definition = (stop = async () => {}) => ({
  name: 'test',
  title: 'test service',
  settingNames: [],
  readSettings: () => ({
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    STOP_DELAY_SECONDS: 0,
  }),
  start: async () => ({ url: 'http://127.0.0.1:1', stop }),
})

/** A pause between the start and the signal handlers would lose a signal after `listening`. */
const handlersAtStart = async () => {
  const { host } = fakeProcess()
  let handlers = 0
  const start = async () => ({
    stop: async () => {},
    // The log message reads the URL.
    get url() {
      handlers = host.listenerCount('SIGTERM')
      return 'http://127.0.0.1:1'
    },
  })
  await runService(host, { ...definition(), start }, noDeadline)
  return handlers
}

/** Waits for the exit, before which the log is written. */
async function exited({ exits }: { readonly exits: readonly number[] }): Promise<void> {
  while (exits.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

/** Starts a service in a process of its own, without the options of the runner, and waits until it listens. */
async function startProcess(mode = '') {
  const child = fork(join(import.meta.dirname, 'service-process.ts'), [mode], {
    silent: true,
    execArgv: [],
    env: { ...process.env, LOG_LEVLE: 'canary' },
  })
  const ended = once(child, 'exit')
  assert.ok(child.stdout)
  let log = ''
  child.stdout.on('data', (text) => {
    log += text
  })
  while (!log.includes('"listening"')) await once(child.stdout, 'data')
  return { child, ended, stdout: child.stdout, log: () => log }
}

describe('a service as a process', () => {
  it('stops once within a deadline, and exits with 0, even after several signals', async () => {
    const fake = fakeProcess()
    const { host, exits } = fake
    let stops = 0
    const stop = async () => {
      stops += 1
    }
    const deadlines: number[] = []
    const startDeadline = (delayMs: number) => {
      deadlines.push(delayMs)
      return (nextDelayMs: number) => void deadlines.push(nextDelayMs)
    }
    await runService(host, definition(stop), startDeadline)
    host.emit('SIGINT')
    host.emit('SIGTERM')
    await exited(fake)
    assert.deepEqual([stops, exits, deadlines], [1, [0], [60_000, 2000]])
  })

  it('handles signals before it logs its URL', async () => {
    assert.equal(await handlersAtStart(), 1)
  })

  it('stops after its parent has exited, even before the start', async () => {
    const before = fakeProcess(false)
    await runService(before.host, definition(), noDeadline)
    const later = fakeProcess(true)
    await runService(later.host, definition(), noDeadline)
    later.host.emit('disconnect')
    await Promise.all([exited(before), exited(later)])
    assert.deepEqual([before.exits, later.exits], [[0], [0]])
  })

  it('exits with 2 and lists the errors in the settings, without control characters', async () => {
    const { host, exits, texts } = fakeProcess()
    const readSettings = () => {
      throw new SettingsError('test service', ['A is "\u001b"', 'B is not set'])
    }
    await assert.rejects(runService(host, { ...definition(), readSettings }), Exit)
    assert.deepEqual(exits, [2])
    assert.deepEqual(texts, [
      'The test service cannot start with these settings:\n  A is "\\u001b"\n  B is not set\n',
    ])
  })

  it('exits with 1 and one line if the start fails', async () => {
    const { host, exits, texts } = fakeProcess()
    const start = () => Promise.reject(new Error('no\nstorage.'))
    await assert.rejects(runService(host, { ...definition(), start }), Exit)
    assert.deepEqual(exits, [1])
    assert.deepEqual(texts, ['The test service cannot start: no\\u000astorage.\n'])
  })

  it('names a variable that resembles a setting, but not its value', async () => {
    const { child, ended, log } = await startProcess()
    child.kill('SIGTERM')
    await ended
    assert.match(log(), /"level":40.*"msg":"LOG_LEVLE is no setting; did you mean LOG_LEVEL\?"/)
    assert.doesNotMatch(log(), /canary/)
  })

  it('writes its last lines before it exits', async () => {
    const { child, ended, log } = await startProcess()
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    assert.match(log(), /"msg":"the last line"/)
  })

  it('exits even if its log has no reader', async () => {
    const { child, ended, stdout } = await startProcess()
    for (const stream of [stdout, child.stderr]) stream?.destroy()
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })

  it('runs and exits even if none of its lines can be written', { timeout: 20_000 }, async () => {
    const log = openSync('/dev/null', 'r')
    const child = fork(join(import.meta.dirname, 'service-process.ts'), ['chatty'], {
      execArgv: [],
      stdio: ['ignore', log, 'ignore', 'ipc'],
    })
    const ended = once(child, 'exit')
    for (let line = 0; line < 10; line += 1) await once(child, 'message')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    closeSync(log)
  })

  it('is killed if it does not exit within 2 s after its stop', async () => {
    const { child, ended } = await startProcess('blocked')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
  })
})
