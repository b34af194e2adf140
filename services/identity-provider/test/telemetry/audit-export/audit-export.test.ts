import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { server as identity } from '../../../../../test/fixtures/tls-identities.ts'
import { AuditExport } from '../../../src/telemetry/audit-export/audit-export.ts'
import { auditSettings } from '../../../src/telemetry/audit-export/audit-settings.ts'
import { freshStorage } from './fresh-storage.ts'
import { numbers, numbersIn, sampleRecords } from './sample-records.ts'

const [{ record } = assert.fail()] = sampleRecords(1, 1)
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** An export to one target, which the end of the test stops. */
async function exportTo(t: TestContext, target: string, collectorUrl = '') {
  const exported = new AuditExport({
    targets: auditSettings.AUDIT_EXPORT.parse(target),
    collector: { url: `${collectorUrl}/v1/logs`, headers: {}, serviceName: 'idp' },
    run: 'a run',
    storage: await freshStorage(t),
    log: silent as never,
  })
  t.after(() => exported.stop())
  const figures = () => exported.figures[target] ?? assert.fail()
  const offer = (count: number, lane: 'signIns' | 'changes' = 'signIns') => {
    for (let index = 0; index < count; index += 1) exported.offer(record, lane)
  }
  return { figures, offer, stop: () => exported.stop() }
}

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const until = async (isComplete: () => boolean) => {
  while (!isComplete()) await delay(20)
}

describe('the audit export to a slow or unavailable log store', () => {
  it('keeps 50,000 records of a lane for a stalled TCP reader, counts further ones, and recovers', async (t) => {
    let text = ''
    let socket: Socket | undefined
    const port = await listen(
      t,
      createServer((opened) => {
        socket = opened.setEncoding('utf8').pause()
        t.after(() => opened.destroy())
      }),
    )
    const { figures, offer } = await exportTo(t, `tcp://127.0.0.1:${port}`)
    offer(120_000)
    assert.deepEqual(figures(), { queued: 50_000, dropped: 70_000, failures: 0 })
    offer(1, 'changes')
    assert.equal(figures().queued, 50_001)
    await until(() => socket !== undefined)
    socket?.on('data', (chunk) => {
      text += chunk
    })
    socket?.resume()
    await until(() => figures().queued === 0)
    offer(1)
    await until(() => text.includes('"number":120002,'))
    assert.deepEqual(numbersIn(text), [...numbers(1, 50_000), 120_001, 120_002])
  })

  const faults: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'responds with 503': (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
    'closes the connection': (response) => response.destroy(),
  }
  for (const [fault, answer] of Object.entries(faults))
    it(`keeps the records for a collector that ${fault}, and sends all of them later`, async (t) => {
      let isFaulty = true
      const received: number[] = []
      const server = createHttpServer(async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        if (isFaulty) return answer(response)
        const [{ scopeLogs }] = JSON.parse(body).resourceLogs
        for (const { attributes } of scopeLogs[0].logRecords)
          for (const { key, value } of attributes)
            if (key === 'greeting.number') received.push(Number(value.intValue))
        response.end('{}')
      })
      t.after(() => server.closeAllConnections())
      const port = await listen(t, server)
      const { figures, offer } = await exportTo(t, 'otlp', `http://127.0.0.1:${port}`)
      offer(3)
      await until(() => figures().failures > 1)
      assert.equal(figures().queued, 3)
      isFaulty = false
      await until(() => figures().queued === 0)
      assert.deepEqual(received, [1, 2, 3])
      assert.equal(figures().dropped, 0)
    })

  it('does not delay a stop for a collector that hangs, and counts the remaining records', async (t) => {
    const server = createHttpServer(() => undefined)
    t.after(() => server.closeAllConnections())
    const port = await listen(t, server)
    const { figures, offer, stop } = await exportTo(t, 'otlp', `http://127.0.0.1:${port}`)
    offer(3)
    await stop()
    assert.deepEqual([figures().queued, figures().dropped], [0, 3])
  })

  it('sends nothing over TLS to a server with another certificate', async (t) => {
    let received = 0
    const server = createTlsServer(identity, (socket) => {
      socket.on('data', () => {
        received += 1
      })
      socket.on('error', () => undefined)
    })
    server.on('tlsClientError', () => undefined)
    const { figures, offer } = await exportTo(t, `tls://localhost:${await listen(t, server)}`)
    offer(1)
    await until(() => figures().failures > 0)
    assert.deepEqual([received, figures().queued], [0, 1])
  })
})
