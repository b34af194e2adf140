import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { quickRuntime } from '../../src/client/quick-runtime.ts'
import { answering, granting, serving, unreachableUrl } from '../fakes/servers.ts'

const { fetch: quickFetch = fetch } = quickRuntime({})

const bodyOf = ({ body }: Response) => text(body as AsyncIterable<Uint8Array>)
const both = { 'the quick runtime': quickFetch, fetch }

for (const [name, get] of Object.entries(both)) {
  const asked = async (t: TestContext, listener: RequestListener, init: RequestInit = {}) =>
    get(await serving(t, listener), { method: 'GET', redirect: 'manual', ...init })

  describe(`a request of ${name}`, () => {
    it('sends its header fields, and returns status, fields and body of the response', async (t) => {
      const response = await asked(
        t,
        (request, answer) => {
          const { authorization, 'user-agent': agent } = request.headers
          answer.writeHead(201, { 'X-Answer': ['a', 'b'] }).end(`${authorization} ${agent} é`)
        },
        { headers: { Authorization: 'Bearer t' } },
      )
      assert.equal(response.status, 201)
      assert.equal(response.headers.get('x-ANSWER'), 'a, b')
      assert.equal(response.headers.get('x-other'), null)
      assert.equal(await bodyOf(response), 'Bearer t node é')
    })

    it('does not follow a redirect', async (t) => {
      const response = await asked(t, (_, answer) =>
        answer.writeHead(302, { location: 'https://other.example/' }).end(),
      )
      assert.deepEqual(
        [response.status, response.headers.get('location')],
        [302, 'https://other.example/'],
      )
      await response.body?.cancel()
    })

    it('decodes a body', async (t) => {
      const response = await asked(t, (_, answer) =>
        answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('Hi')),
      )
      assert.equal(await bodyOf(response), 'Hi')
    })

    it('sends a body', async (t) => {
      const response = await asked(t, (request, answer) => request.pipe(answer), {
        method: 'POST',
        body: 'a=b',
      })
      assert.equal(await bodyOf(response), 'a=b')
    })

    it('fails with a TypeError and its cause if no server listens', async () => {
      await assert.rejects(
        get(await unreachableUrl()),
        (error: Error & { cause?: { code?: string } }) => {
          assert.deepEqual(
            [error.name, error.message, error.cause?.code],
            ['TypeError', 'fetch failed', 'ECONNREFUSED'],
          )
          return true
        },
      )
    })

    it('fails with the reason of its abort signal, before and during the response', async (t) => {
      const reason = new Error('too late')
      const silent = new AbortController()
      const waiting = asked(t, () => silent.abort(reason), { signal: silent.signal })
      await assert.rejects(waiting, reason)
      const halfway = new AbortController()
      const response = await asked(t, (_, answer) => void answer.write('H'), {
        signal: halfway.signal,
      })
      halfway.abort(reason)
      await assert.rejects(bodyOf(response), reason)
    })

    it('fails if the body ends early', async (t) => {
      const response = await asked(t, (_, answer) => {
        answer.writeHead(200, { 'content-length': 10 }).write('H', () => answer.destroy())
      })
      await assert.rejects(bodyOf(response))
    })
  })
}

describe('the quick runtime', () => {
  for (const environment of [
    { NODE_USE_ENV_PROXY: '1' },
    { NODE_OPTIONS: '--no-warnings --use-env-proxy' },
  ])
    it(`is not used with ${Object.keys(environment)[0]}, because fetch supports the proxy`, () => {
      assert.deepEqual(quickRuntime(environment), {})
    })

  it('does not load fetch for a job with a cached token', async (t) => {
    const folder = freshFolder()
    const settings = {
      AUTH_URL: await serving(t, granting('t')),
      BASE_URL: await serving(t, answering(200, 'Hi')),
      TENANT_ID: 't',
      CLIENT_ID: 'c',
      SCOPE: 's',
      CLIENT_SECRET: 'secret',
      TOKEN_CACHE_FILE: join(folder, 'tokens.json'),
    }
    const report = join(folder, 'report.cjs')
    writeFileSync(
      report,
      `process.on('exit', () => console.error(process.moduleLoadList.filter((one) => one.includes('undici/undici'))))`,
    )
    const bin = join(import.meta.dirname, '../../bin/greeting.js')
    const runs: string[] = []
    for (let run = 0; run < 2; run += 1) {
      const child = spawn(process.execPath, ['--require', report, bin, 'hi'], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, ...settings },
      })
      const printed = Promise.all([text(child.stdout), text(child.stderr)])
      await once(child, 'exit')
      runs.push((await printed).join(' '))
    }
    assert.deepEqual(runs, ["Hi\n [ 'NativeModule internal/deps/undici/undici' ]\n", 'Hi\n []\n'])
  })
})
