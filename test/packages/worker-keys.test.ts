import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { runtimes } from './program.ts'
import { suiteInput } from './suite/rows.ts'
import { workerFlags, writeWorker } from './worker.ts'

const refreshMs = 3_600_000

for (const [name, flags] of Object.entries(workerFlags)) {
  describe(`keys on workerd ${name}`, () => {
    const consumer = new Consumer().install('guard')
    /** The requests for the key set. The test answers each. */
    const asked: ServerResponse[] = []
    const keyServer = createServer((_, response) => asked.push(response))
    let worker: ChildProcess
    let origin = ''

    before(async () => {
      keyServer.listen(0, '127.0.0.1')
      await once(keyServer, 'listening')
      const { port } = keyServer.address() as AddressInfo
      const keySetUrl = `http://127.0.0.1:${port}/keys`
      consumer.copy(join(import.meta.dirname, './suite/key-worker.js'), 'key-worker.js')
      consumer.write('input.json', JSON.stringify({ ...suiteInput, keySetUrl }))
      const config = await writeWorker(consumer, 'key-worker.js', flags)
      worker = spawn(runtimes.workerd, ['serve', '--control-fd=3', config], {
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      })
      const [line] = await once(worker.stdio[3] ?? worker, 'data')
      origin = `http://127.0.0.1:${JSON.parse(String(line).split('\n', 1)[0] ?? '').port}`
    })
    after(async () => {
      worker.kill()
      await once(worker, 'exit')
      keyServer.close()
      keyServer.closeAllConnections()
      consumer[Symbol.dispose]()
    })

    const ask = (signal?: AbortSignal) =>
      fetch(`${origin}/api/v1/hi`, {
        headers: { authorization: `Bearer ${suiteInput.tokens.good}` },
        ...(signal && { signal }),
      })
    const state = async (passMs = 0) => (await fetch(`${origin}/?pass-ms=${passMs}`)).json()
    const nextRequest = async () => {
      if (asked.length === 0) await once(keyServer, 'request')
      return asked.shift()
    }

    it('are fetched once for all waiting requests, even if the first one is cancelled', async () => {
      const impatient = new AbortController()
      const dropped = ask(impatient.signal).catch(() => 'dropped')
      const response = await nextRequest()
      const waiting = [ask(), ask()]
      impatient.abort()
      assert.equal(await dropped, 'dropped')
      // A round trip, so that the worker has seen the end.
      await state()
      response?.end(suiteInput.keySet)
      const answers = await Promise.all(waiting)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      assert.equal(asked.length, 0)
    })

    it('are refreshed after the response if they are outdated', async () => {
      const before = await state(refreshMs)
      assert.equal(before.keySets[0].ageSeconds, refreshMs / 1000)
      const response = await nextRequest()
      assert.equal((await ask()).status, 200)
      response?.end(suiteInput.keySet)
      let { keySets } = await state()
      while (keySets[0].ageSeconds > 0) keySets = (await state()).keySets
      assert.equal(asked.length, 0)
    })
  })
}
