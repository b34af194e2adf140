import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { call, callWith } from './call.ts'

const main = join(import.meta.dirname, '../src/main.ts')
const ids = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }

function start(environment: Record<string, string>, channel: 'ipc' | 'ignore' = 'ignore') {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', channel],
  }) as ChildProcessByStdio<null, Readable, Readable>
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const stderr = text(child.stderr)
  let log = ''
  const listening = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      log += chunk
      const line = log.split('\n').find((entry) => entry.includes('"msg":"listening"'))
      if (line !== undefined) resolve(JSON.parse(line).url)
    })
  })
  return { child, exited, stderr, listening, log: () => log }
}

let provider: Awaited<ReturnType<typeof startFakeIdentityProvider>>
let signer: Signer
before(async () => {
  provider = await startFakeIdentityProvider()
  signer = await Signer.make('key-1', provider.url)
  provider.publish(signer.jwk)
})
after(() => provider.stop())

const local = () => ({ ...ids, AUTH_URL: provider.url, ISSUER_URL: provider.url, PORT: '0' })

describe('the API process', () => {
  it('logs its URL, serves requests, and exits with 0 on SIGTERM', async () => {
    const { child, exited, listening, log } = start(local())
    const url = await listening
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal((await callWith(url, '/api/v1/hi', await signer.token())).body, 'Hi')
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
    for (const line of log().trim().split('\n'))
      assert.equal(JSON.parse(line).service, 'greeting-api')
  })

  it('exits with 0 when the IPC channel to its parent closes', async () => {
    const { child, exited, listening, log } = start(local(), 'ipc')
    await listening
    child.disconnect()
    assert.equal(await exited, 0)
    assert.match(log(), /"reason":"parent_ended","msg":"stopping"/)
  })

  it('exits with 0 if the IPC channel closes during the start', async () => {
    const { child, exited } = start(local(), 'ipc')
    child.disconnect()
    assert.equal(await exited, 0)
  })

  it('completes the current request, closes idle connections, and accepts no others', async () => {
    provider.hang()
    const { child, exited, listening } = start(local())
    const url = await listening
    // An idle connection must not keep the process alive.
    const agent = new Agent({ keepAlive: true })
    const idle = request(`${url}/healthz`, { agent }).end()
    await text(((await once(idle, 'response')) as [IncomingMessage])[0])
    // This request waits for the key set.
    const waiting = callWith(url, '/api/v1/hi', await signer.token())
    await call(url, '/healthz')
    child.kill('SIGTERM')
    await assert.rejects(async () => {
      for (;;) await call(url, '/healthz')
    })
    provider.publish(signer.jwk)
    provider.drop()
    assert.equal((await waiting).status, 503)
    assert.equal(await exited, 0)
    agent.destroy()
  })

  const stops = [{ STOP_DELAY_SECONDS: '0' }, { STOP_DELAY_SECONDS: '1' }]
  for (const settings of stops) {
    it(`interrupts no request of 20 busy clients when it stops, with ${JSON.stringify(settings)}`, async () => {
      const { child, exited, listening } = start({ ...local(), ...settings })
      const url = await listening
      let [answers, closes] = [0, 0]
      const calls = Array.from({ length: 20 }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        for (;;) {
          try {
            const sent = request(`${url}/healthz`, { agent }).end()
            const [answer] = (await once(sent, 'response')) as [IncomingMessage]
            await text(answer)
            answers += 1
            if (answer.headers.connection === 'close') closes += 1
            if (answers === 200) child.kill('SIGTERM')
          } catch (error) {
            agent.destroy()
            return (error as NodeJS.ErrnoException).code
          }
        }
      })
      // The closed port refuses a connection. Nothing is reset.
      assert.deepEqual([...new Set(await Promise.all(calls))], ['ECONNREFUSED'])
      assert.ok(closes >= 20, `${closes}`)
      assert.equal(await exited, 0)
    })
  }

  it('writes no token to its log at any level (RS26)', async () => {
    const { child, exited, listening, log } = start({ ...local(), LOG_LEVEL: 'trace' })
    const url = await listening
    const tokens = [
      await signer.token(),
      await signer.token({ aud: 'api://other' }),
      await signer.token({}, { kid: 'unknown' }),
      `${await signer.token()}x`,
    ]
    for (const token of tokens) {
      await callWith(url, '/api/v1/hi', token)
      await call(url, `/api/v1/hi?access_token=${token}`)
      await call(url, `/api/v1/${token}`, { headers: { authorization: `Basic ${token}` } })
    }
    child.kill('SIGTERM')
    await exited
    assert.match(log(), /"msg":"refused"/)
    for (const part of tokens.flatMap((token) => token.split('.'))) {
      assert.ok(!log().includes(part), part)
    }
  })

  it('reports all invalid settings together and exits with 2', async () => {
    const { exited, stderr, log } = start({ ...ids, TENANT_ID: 'me', PORT: 'many', LOG_LEVEL: '!' })
    assert.equal(await exited, 2)
    assert.deepEqual((await stderr).trimEnd().split('\n'), [
      'The greeting API cannot start with these settings:',
      '  TENANT_ID is "me"; expected a GUID in lower case',
      '  PORT is "many"; expected a whole number from 0 to 65535',
      '  LOG_LEVEL is "!"; expected one of trace, debug, info, warn, error, fatal, silent',
    ])
    assert.equal(log(), '')
  })

  it('reports a port in use in one sentence and exits with 1', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? `${address?.port}` : ''
    const { exited, stderr } = start({ ...local(), PORT: port })
    assert.equal(await exited, 1)
    assert.equal(
      await stderr,
      `The greeting API cannot start: port ${port} at 127.0.0.1 is taken by another program: stop it, or set PORT to another port.\n`,
    )
  })

  it('reports an unknown address in one sentence and exits with 1', async () => {
    const { exited, stderr } = start({ ...local(), HOST: '192.0.2.1' })
    assert.equal(await exited, 1)
    assert.equal(
      await stderr,
      'The greeting API cannot start: 192.0.2.1 is not an address of this machine.\n',
    )
  })
})
