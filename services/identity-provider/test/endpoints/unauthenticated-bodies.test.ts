import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Fetch, ServerEnv } from '@greeting/http-service'
import { labOperations } from '@greeting/lab'
import { createPortal } from '@greeting/portal'
import { Hono } from 'hono'
import { type LabControls, openLab } from '../../src/lab/lab-controls.ts'
import { graphOperations } from '../../src/management/graph/graph-operations.ts'
import {
  graphPaths,
  serverManagementPath,
} from '../../src/management/operations/management-paths.ts'
import { serverOperations } from '../../src/management/server/server-operations.ts'
import { portalHost } from '../../src/portal-host/portal-host.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { startInProcess } from '../../src/startup/start-identity-provider.ts'
import { fixtureEnvironment } from '../startup/fixture-environment.ts'
import { testService } from './test-service.ts'

const page = join(import.meta.dirname, '../../../../docs/evidence/security-authorization-server.md')
const id = '6a1f2c1e-4b0e-4d6e-9a50-2f8f0d7c1b11'
const chunkBytes = 1024
/** The streams between, and the copy of the lab, may hold some chunks. */
const maxBufferedBytes = 4 * chunkBytes
const worst = Buffer.from('a&'.repeat(chunkBytes / 2))
const types = [
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=a',
  'application/json',
]
/** Far more than a request may take, on a busy machine too. The former parser took 8 seconds for 2 MB. */
const maxCpuMs = 500

type Route = { readonly method: string; readonly path: string }

/** The bounds of the page by route. A route without a row has none: its body is not read. */
function boundsOfPage(): ReadonlyMap<string, number> {
  const [, text = ''] = readFileSync(page, 'utf8').split('## Bodies of unknown callers')
  const rows = text.split('\n## ', 1)[0]?.matchAll(/^\| (`.+`) \| ([\d,]+) \|/gm) ?? []
  return new Map(
    [...rows].flatMap(([, routes = '', bound = '']) =>
      [...routes.matchAll(/`POST ([^`]+)`/g)].map(
        ([, path = '']) => [path, Number(bound.replaceAll(',', ''))] as const,
      ),
    ),
  )
}

describe('the body of an unauthenticated request', () => {
  const cleanup = new AsyncDisposableStack()
  const bounds = boundsOfPage()
  let handle: Fetch
  let url = ''
  let routes: readonly Route[]

  before(async () => {
    const { lab, service, runtime } = openLab()
    const { handlerOf } = service
    let app: Hono<ServerEnv> | undefined
    const observed: LabControls = {
      ...service,
      handlerOf: (made, authority) => {
        app = made
        handle = handlerOf(made, authority)
        return handle
      },
    }
    const environment = {
      ...fixtureEnvironment,
      runtime: { ...fixtureEnvironment.runtime, now: runtime.now },
      lab: observed,
    }
    const provider = await startInProcess({ httpsPort: 'off', portal: 'on' }, environment)
    cleanup.use(provider)
    url = provider.url
    const host = portalHost({
      service: (await testService()).options,
      management: new Hono(),
      labOperations: undefined,
      keyEncryptionKey: KeyEncryptionKey.generate(),
      usedUp: { spend: async () => false, isSpent: async () => false },
      httpsAuthUrl: undefined,
      requestToken: () => new Response(),
      lab: undefined,
    })
    const portal = createPortal(host)
    const server = serverOperations({} as never)
    const at = (mount: string, rows: readonly Route[]) =>
      rows.map(({ method, path }) => ({ method, path: `${mount}${path}` }))
    routes = [
      ...(app?.routes ?? []),
      ...portal.routes,
      ...graphPaths.flatMap((path) => at(path, graphOperations)),
      ...at(serverManagementPath, server),
      ...at('/lab', labOperations(lab)),
    ]
  })
  after(() => cleanup.disposeAsync())

  /** Sends the worst body, and counts the bytes that the server takes from it. */
  async function send(path: string, method: string, type: string, maxBytes: number) {
    let taken = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (taken >= maxBytes) return controller.close()
          taken += chunkBytes
          controller.enqueue(worst)
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { origin: url, host: new URL(url).host, 'content-type': type }
    const target = path.replaceAll(/:\w+(\{[^}]*\})?|\{\w+\}/g, id).replace('*', 'x')
    const startedAt = process.cpuUsage()
    const sent = { method, headers, body, duplex: 'half' }
    const request = new Request(`${url}${target}`, sent as RequestInit)
    const { status } = await handle(request, {})
    const { user, system } = process.cpuUsage(startedAt)
    return { taken, status, cpuMs: (user + system) / 1000 }
  }

  const boundOf = (path: string) =>
    bounds.get(path) ?? (path.startsWith('/portal/') ? bounds.get('/portal/*') : undefined) ?? 0

  it('AS44: is read up to the limit of its route in the table, and ignored by all other routes', async () => {
    const withBody = routes
      .flatMap(({ method, path }) =>
        method === 'ALL' ? [{ method: 'POST', path }] : { method, path },
      )
      .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
    assert.ok(withBody.length > 120, `${withBody.length} routes`)
    const read = new Set<string>()
    for (const { method, path } of withBody) {
      for (const type of types) {
        const { taken, status, cpuMs } = await send(path, method, type, 4 * 1024 * 1024)
        const row = `${method} ${path} with ${type}`
        assert.ok(taken <= boundOf(path) + maxBufferedBytes, `${row} reads ${taken} bytes`)
        if (boundOf(path) === 0) assert.equal(taken, 0, row)
        if (taken > 0) read.add(path)
        assert.ok(status >= 303 || method === 'OPTIONS', `${row} is answered ${status}`)
        assert.ok(cpuMs < maxCpuMs, `${row} takes ${cpuMs} ms`)
      }
    }
    for (const [path, bound] of bounds) {
      if (path === '/portal/*') continue
      assert.ok(
        withBody.some((one) => one.path === path),
        `${path} is no route`,
      )
      assert.equal(read.has(path), bound > 0, path)
    }
  })

  it('AS44: is parsed quickly at each limit, even if it consists of pairs without a value', async () => {
    for (const [path, bound] of bounds) {
      for (const type of types) {
        const { cpuMs, status } = await send(path.replace('*', 'keys/rotate'), 'POST', type, bound)
        assert.ok(status >= 303, `${path} is answered ${status}`)
        assert.ok(cpuMs < maxCpuMs, `${path} takes ${cpuMs} ms`)
      }
    }
  })

  it('AS44: does not delay other requests, even with two bodies of 2 MB at once', async () => {
    const body = 'a&'.repeat(1_000_000)
    const headers = { origin: url, 'content-type': types[0] ?? '' }
    const startedAt = process.cpuUsage()
    const sent = ['plan', 'apply'].map((action) =>
      fetch(`${url}/portal/file/${action}`, { method: 'POST', headers, body }),
    )
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    for (const { status } of await Promise.all(sent)) assert.equal(status, 401)
    const { user, system } = process.cpuUsage(startedAt)
    assert.ok((user + system) / 1000 < 4 * maxCpuMs)
  })
})
