import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { runService } from '../src/run-service.ts'
import { SettingsError } from '../src/settings-reader.ts'

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

const definition = (stop = async () => {}) => ({
  name: 'test',
  title: 'test service',
  readSettings: () => ({ HOST: '127.0.0.1', LOG_LEVEL: 'silent', WORKERS: 1 }),
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
  await runService(host, { ...definition(), start })
  return handlers
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a service as a process', () => {
  it('stops once, and exits with 0, after several signals', async () => {
    const { host, exits } = fakeProcess()
    let stops = 0
    const stop = async () => {
      stops += 1
    }
    await runService(host, definition(stop))
    host.emit('SIGINT')
    host.emit('SIGTERM')
    await turn()
    assert.deepEqual([stops, exits], [1, [0]])
  })

  it('handles signals before it logs its URL', async () => {
    assert.equal(await handlersAtStart(), 1)
  })

  it('stops when the parent has ended, also before the start', async () => {
    const before = fakeProcess(false)
    await runService(before.host, definition())
    const later = fakeProcess(true)
    await runService(later.host, definition())
    later.host.emit('disconnect')
    await turn()
    assert.deepEqual([before.exits, later.exits], [[0], [0]])
  })

  it('exits with 2 and the faults for invalid settings, without control characters', async () => {
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

  it('exits with 1 and one line when the start fails', async () => {
    const { host, exits, texts } = fakeProcess()
    const start = () => Promise.reject(new Error('no\nstorage.'))
    await assert.rejects(runService(host, { ...definition(), start }), Exit)
    assert.deepEqual(exits, [1])
    assert.deepEqual(texts, ['The test service cannot start: no\\u000astorage.\n'])
  })
})
