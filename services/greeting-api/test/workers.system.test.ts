import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../fixtures/signing-identity-provider.ts'
import { callWith } from './call.ts'

const main = join(import.meta.dirname, '../src/main.ts')

type LogLine = { msg: string; url: string; metricsUrl: string; workerPid: number; signal: string }

/** The greeting API with two workers. `line` resolves with the next log line that has a message. */
async function startWithWorkers(providerUrl: string) {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TENANT_ID: tenantId,
      API_APPLICATION_ID: apiApplicationId,
      AUTH_URL: providerUrl,
      ISSUER_URL: providerUrl,
      PORT: '0',
      METRICS_PORT: '0',
      WORKERS: '2',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async (msg: string): Promise<LogLine> => {
    for (;;) {
      const { value, done } = await lines.next()
      assert.ok(!done, `the log ended without "${msg}"`)
      const parsed = JSON.parse(value)
      if (parsed.msg === msg) return parsed
    }
  }
  const ready = async () => (await line('worker ready')).workerPid
  const workerPids = [await ready(), await ready()]
  const { url, metricsUrl } = await line('listening')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return { url, metricsUrl, line, ready, end, workerPids }
}

/** The values of some metrics. */
async function metricsOf(url: string, names: readonly string[]) {
  const response = await fetch(`${url}/metrics`)
  const text = await response.text()
  return names.map((name) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    ),
  )
}

const admitted = 'greeting_guard_decisions_total{outcome="admitted",reason=""}'

describe('a greeting API with two workers', () => {
  let provider: Awaited<ReturnType<typeof startFakeIdentityProvider>>
  let signer: Signer
  let api: Awaited<ReturnType<typeof startWithWorkers>>
  before(async () => {
    provider = await startFakeIdentityProvider()
    signer = await Signer.make('key-1', provider.url)
    provider.publish(signer.jwk)
    api = await startWithWorkers(provider.url)
  })
  after(async () => {
    await api.end('SIGKILL')
    await provider.stop()
  })

  it('fetches the keys once for both', async () => {
    const token = await signer.token()
    // Each call opens a connection, and the connections take turns.
    for (let call = 0; call < 4; call += 1) {
      assert.equal((await callWith(api.url, '/api/v1/hi', token)).body, 'Hi')
    }
    assert.equal(provider.paths.length, 1)
  })

  it('counts the requests of both, also after one of them was killed and replaced', async () => {
    const token = await signer.token()
    const [before = 0] = await metricsOf(api.metricsUrl, [admitted])
    for (let call = 0; call < 4; call += 1) await callWith(api.url, '/api/v1/hi', token)
    assert.deepEqual(await metricsOf(api.metricsUrl, [admitted, 'greeting_workers']), [
      before + 4,
      2,
    ])

    process.kill(api.workerPids.shift() ?? 0, 'SIGKILL')
    const { signal } = await api.line('a worker ended and is replaced')
    assert.equal(signal, 'SIGKILL')
    assert.equal((await callWith(api.url, '/api/v1/hi', token)).body, 'Hi')
    const [now = 0, replaced] = await metricsOf(api.metricsUrl, [
      admitted,
      'greeting_worker_replacements_total',
    ])
    assert.deepEqual([now, replaced], [before + 5, 1])
  })

  it('answers a request that a killed worker had not accepted', async () => {
    api.workerPids.push(await api.ready())
    const pid = api.workerPids.shift() ?? 0
    // The primary process hands one of two connections to the worker that does not run.
    process.kill(pid, 'SIGSTOP')
    const calls = [1, 2].map(() => callWith(api.url, '/healthz', ''))
    await Promise.race(calls)
    process.kill(pid, 'SIGKILL')
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
  })

  it('keeps its address when all workers have ended', async () => {
    api.workerPids.push(await api.ready())
    for (const pid of api.workerPids) process.kill(pid, 'SIGKILL')
    await api.ready()
    assert.equal((await fetch(`${api.url}/healthz`)).status, 200)
    assert.equal((await fetch(`${api.metricsUrl}/metrics`)).status, 200)
  })

  it('ends with all workers, and with 0, on SIGTERM', async () => {
    assert.equal(await api.end('SIGTERM'), 0)
    await assert.rejects(fetch(`${api.url}/healthz`))
  })
})
