import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { assertGenerated } from '../../../../test/fixtures/generated-files.ts'
import {
  apiApplicationId,
  clientApplicationId,
  keySetOf,
  TokenFactory,
  tenantId,
} from '../token-factory.ts'
import * as reference from './reference.ts'

const repository = join(import.meta.dirname, '../../../..')
const page = ['guides/protect-your-api.md', 'reference/guard.md']
  .map((name) => readFileSync(join(repository, 'docs', name), 'utf8'))
  .join('\n')
const source = (file: string) => readFileSync(join(import.meta.dirname, '../../src', file), 'utf8')
const forge = new TokenFactory('key-1')

/** The rows of the table with this first heading, without code marks. */
function tableOf(heading: string, text = page): string[][] {
  const [, after = ''] = text.split(`\n| ${heading} |`)
  const [table = ''] = after.split('\n\n')
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$|`/g, '')))
}

const token = () => {
  const now = Math.floor(Date.now() / 1000)
  return forge.token({ iat: now - 300, nbf: now - 300, exp: now + 3600 })
}

describe('the snippets of docs/guides/protect-your-api.md and docs/reference/guard.md', () => {
  const folder = freshFolder()
  const realFetch = globalThis.fetch
  const fetched: string[] = []

  before(() => {
    mkdirSync(folder, { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    for (const [, name = '', code = ''] of page.matchAll(/```ts (\S+)\n(.*?)```/gs)) {
      writeFileSync(join(folder, name), code.replace('port: 3002', 'port: 0'))
    }
    globalThis.fetch = async (url) => {
      fetched.push(String(url))
      return new Response(keySetOf(forge))
    }
  })
  after(() => {
    globalThis.fetch = realFetch
  })

  const load = (name: string) => import(join(folder, name))

  async function serve(listener: RequestListener, check: (url: string) => Promise<void>) {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.closeAllConnections()
    server.close()
  }

  /** Calls hello with a token and without one. */
  async function checkGreetings(ask: (path: string, headers: HeadersInit) => Promise<Response>) {
    const hello = await ask('/api/v1/hello', { authorization: `Bearer ${token()}` })
    assert.equal(await hello.text(), `Hello, ${clientApplicationId}`)
    assert.equal((await ask('/api/v1/hello', {})).status, 401)
    assert.equal((await ask('/api/v1/bye', { authorization: `Bearer ${token()}` })).status, 404)
  }
  const checkAt = (url: string) =>
    checkGreetings((path, headers) => realFetch(`${url}${path}`, { headers }))

  it('guard an app with Hono', async () => {
    const { app } = await load('hono.ts')
    await checkGreetings((path, headers) => app.request(path, { headers }))
    assert.equal(await (await app.request('/')).text(), 'open')
  })

  it('guard an app with Express', async () => {
    const { app } = await load('express.ts')
    await serve(app, checkAt)
  })

  it('guard an app with Fastify', async () => {
    const { app } = await load('fastify.ts')
    await checkAt(await app.listen({ port: 0, host: '127.0.0.1' }))
    await app.close()
  })

  it('guard an app with node:http', async () => {
    const { server } = await load('node.ts')
    await serve((request, response) => server.emit('request', request, response), checkAt)
  })

  it('guard an app for Web requests', async () => {
    const { fetch } = await load('web.ts')
    await checkGreetings((path, headers) =>
      Promise.resolve(fetch(new Request(`https://api.example${path}`, { headers }))),
    )
  })

  it('guard an MCP server', async () => {
    Object.assign(process.env, { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId })
    const { server } = await load('mcp.mts')
    if (!server.listening) await once(server, 'listening')
    const call = (name: string, headers: Record<string, string>): Promise<Response> =>
      realFetch(`http://localhost:${server.address().port}/mcp`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
      })
    const authorization = `Bearer ${token()}`
    assert.match(await (await call('hello', { authorization })).text(), /"text":"Hello"/)
    assert.equal((await call('bye', { authorization })).status, 403)
    assert.equal((await call('hello', {})).status, 401)
    server.close()
  })

  it('guard an existing app, and check its routes', async () => {
    const { app, check } = await load('existing.ts')
    await serve(app, async (url) => {
      const ask = (path: string, headers = {}) => realFetch(`${url}${path}`, { headers })
      const authorization = `Bearer ${token()}`
      assert.equal(
        await (await ask('/api/v1/hello', { authorization })).text(),
        `Hello, ${clientApplicationId}`,
      )
      assert.equal((await ask('/api/v1/hello')).status, 401)
      assert.equal((await ask('/')).status, 200)
    })
    check()
    app.get('/api/v1/forgotten', () => {})
    assert.throws(check, /GET \/api\/v1\/forgotten$/)
  })

  it('put CORS before the guard', async () => {
    const { fetch } = await load('cors.ts')
    const ask = (path: string, init: RequestInit): Promise<Response> =>
      fetch(new Request(`https://api.example${path}`, init))
    const origin = 'https://app.example'
    for (const path of ['/api/v1/hi', '/api/v1/none']) {
      const headers = { origin, 'access-control-request-method': 'GET' }
      const preflight = await ask(path, { method: 'OPTIONS', headers })
      assert.deepEqual([preflight.status, await preflight.text()], [200, ''])
      assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
      const refused = await ask(path, { headers: { origin } })
      assert.equal(refused.status, 401)
      assert.equal(refused.headers.get('access-control-allow-origin'), origin)
    }
  })

  it('guard any other path', async () => {
    const { answer } = await load('ask.ts')
    const hi = await answer(`Bearer ${token()}`, '/hi')
    assert.equal(hi.body, `Hi, ${clientApplicationId}`)
    assert.equal((await answer(undefined, '/hi')).status, 401)
  })

  it('publish the protected resource metadata', async () => {
    const { app } = await load('metadata.ts')
    const challenge = (await app.request('/api/v1/hi')).headers.get('www-authenticate') ?? ''
    const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
    const document = await (await app.request(url)).json()
    assert.equal(document.resource, 'https://api.example')
  })

  it('fetch keys only from real Entra ID', () => {
    assert.ok(fetched.length > 0)
    for (const url of fetched) {
      assert.match(url, /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/discovery\/keys$/)
    }
  })
})

it(`${reference.file} lists the options and refusals in the code`, () => {
  assertGenerated(reference)
})

describe('the tables of docs/reference/guard.md', () => {
  it('list every event and every code for a failed refresh', () => {
    const events = [...source('guard-event.ts').matchAll(/readonly type: '(\w+)'/g)]
    const listed = tableOf('event').flatMap(([names = '']) => names.split(', '))
    assert.deepEqual(listed.toSorted(), events.map(([, name]) => name).toSorted())
    const codes = [
      'unreachable',
      'timed_out',
      'bad_status',
      'too_large',
      'not_json',
      'not_a_key_set',
      'no_usable_key',
    ]
    for (const code of codes) assert.ok(page.includes(`\`${code}\``), code)
  })
})
