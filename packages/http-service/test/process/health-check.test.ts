import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { listen } from '../../src/listener/listener.ts'
import { checkHealth, healthCheckOf } from '../../src/process/health-check.ts'

const argvOf = (...options: string[]) => ['node', '/app/main.js', ...options]

describe('the health check', () => {
  it('is selected by an option', () => {
    assert.equal(healthCheckOf(argvOf()), undefined)
    assert.equal(healthCheckOf(argvOf('--healthcheck')), '/readyz')
    assert.equal(healthCheckOf(argvOf('--healthcheck=readyz')), '/readyz')
    assert.equal(healthCheckOf(argvOf('--healthcheck=healthz')), '/healthz')
    assert.deepEqual(healthCheckOf(argvOf('--help')), { unknown: '--help' })
  })

  for (const [status, body, exitCode] of [
    [200, '{"status":"ready"}', 0],
    [503, '{"status":"no keys"}', 1],
    [302, '', 1],
  ] as const) {
    it(`exits with ${exitCode} for status ${status}`, async () => {
      const listener = await listen('127.0.0.1', 0)
      const paths: string[] = []
      listener.answerWith(({ url }) => {
        paths.push(new URL(url).pathname)
        return new Response(body, { status, headers: { location: '/elsewhere' } })
      })
      try {
        const PORT = Number(new URL(listener.url).port)
        const result = await checkHealth('/readyz', { HOST: '0.0.0.0', PORT })
        assert.equal(result.exitCode, exitCode)
        assert.deepEqual(paths, ['/readyz'])
        if (exitCode === 1)
          assert.equal(
            result.text,
            `The service at 127.0.0.1:${PORT} is not well: ${status} ${body}`,
          )
      } finally {
        await listener.stop()
      }
    })
  }

  it('exits with 1 if no service listens', async () => {
    const listener = await listen('127.0.0.1', 0)
    const PORT = Number(new URL(listener.url).port)
    await listener.stop()
    const { exitCode, text } = await checkHealth('/readyz', { HOST: '127.0.0.1', PORT })
    assert.deepEqual(
      [exitCode, text],
      [1, `The service at 127.0.0.1:${PORT} is not well: ECONNREFUSED`],
    )
  })

  it('exits with 2 for an unknown option, and without a fixed port', async () => {
    for (const [check, port] of [
      [{ unknown: '--help' }, 4000],
      ['/readyz', 0],
    ] as const) {
      const { exitCode } = await checkHealth(check, { HOST: '127.0.0.1', PORT: port })
      assert.equal(exitCode, 2)
    }
  })

  it('appears in the reference of each service', () => {
    for (const page of ['identity-provider', 'greeting-api', 'authorizer']) {
      const file = new URL(`../../../../docs/reference/${page}.md`, import.meta.url)
      assert.match(readFileSync(file, 'utf8'), /`--healthcheck=healthz`/)
    }
  })
})
