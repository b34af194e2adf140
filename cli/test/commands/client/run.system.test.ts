import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { answering, granting, serving } from '../../fakes/servers.ts'
import { emptyFile, RecordedTerminal } from '../../fakes/terminal.ts'

const bin = join(import.meta.dirname, '../../../bin/greeting.js')

async function environmentOf(test: TestContext, api: RequestListener) {
  return {
    PATH: process.env.PATH,
    AUTH_URL: await serving(test, granting('header.claims.signature')),
    BASE_URL: await serving(test, api),
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'secret-value',
    SCOPE: 'api://x/.default',
  }
}

const noFile = ['--settings', emptyFile]

describe('greeting run', () => {
  it('prints a line per run, and exits after the current run if it is stopped', async (test) => {
    let answer: () => void = () => undefined
    let calls = 0
    const { promise: third, resolve: thirdIsIn } = Promise.withResolvers<void>()
    const environment = await environmentOf(test, (request, response) => {
      calls += 1
      answer = () => answering(200, 'Hi')(request, response)
      if (calls < 3) answer()
      else thirdIsIn()
    })
    const args = ['run', '--every', '20ms', '--jitter', '0s', ...noFile, '--', 'hi']
    const child = spawn(process.execPath, [bin, ...args], { env: environment })
    test.after(() => child.kill('SIGKILL'))
    let printed = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    await third
    child.kill('SIGTERM')
    // Long enough for the signal to arrive during the run.
    setTimeout(() => answer(), 100)
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    const lines = printed.trim().split('\n')
    assert.equal(lines.length, 3)
    for (const line of lines)
      assert.match(line, /^\d{4}-.*Z {2}hi {2}ok {2}[\d.]+ m?s {2}Hi( \(\d+ runs skipped\))?$/)
    assert.equal(calls, 3)
  })

  it('prints JSON lines, and exits after too many failures with the last exit code', async (test) => {
    const environment = await environmentOf(test, answering(403, {}))
    const terminal = new RecordedTerminal()
    const args = ['run', '--every', '1ms', '--fail-after', '2', '--json', ...noFile]
    const code = await terminal.run([...args, '--', 'hello', '--name', 'Ada'], environment)
    assert.equal(code, 4)
    const lines = terminal.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(lines.length, 2)
    assert.partialDeepStrictEqual(lines[1], {
      job: 'hello',
      run: 2,
      outcome: 'not_allowed',
      exitCode: 4,
      error: { code: 'role_missing', role: 'CallHelloApiRole' },
    })
  })

  it('describes each failure in a sentence', async (test) => {
    const environment = await environmentOf(test, answering(403, {}))
    const terminal = new RecordedTerminal()
    const args = [
      'run',
      '--every',
      '1ms',
      '--fail-after',
      '1',
      ...noFile,
      '--',
      'call',
      'GET',
      '/x',
    ]
    assert.equal(await terminal.run(args, environment), 4)
    assert.match(
      terminal.out,
      /Z {2}call GET \/x {2}not allowed {2}[\d.]+ m?s {2}The client is not allowed/,
    )
    assert.match(terminal.err, /^The client is not allowed/)
  })

  it('requests one token for many runs', async (test) => {
    let requests = 0
    const environment = await environmentOf(test, answering(200, 'Hi'))
    const authority = await serving(test, (request, response) => {
      requests += 1
      granting('header.claims.signature')(request, response)
    })
    const terminal = new RecordedTerminal()
    const ended = terminal.run(['run', '--every', '1ms', ...noFile, '--', 'hi'], {
      ...environment,
      AUTH_URL: authority,
    })
    await terminal.printed(/( {2}ok {2}.*\n.*){5}/)
    terminal.stop()
    assert.equal(await ended, 0)
    assert.equal(requests, 1)
  })

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['--', 'hi'], /Use either --every or --cron/],
    [['--every', '5m', '--cron', '* * * * *', '--', 'hi'], /Use either --every or --cron/],
    [['--every', '5m', '--time-zone', 'UTC', '--', 'hi'], /--time-zone needs --cron/],
    [['--every', '5', '--', 'hi'], /The duration must have a form like/],
    [['--every', '0s', '--', 'hi'], /The interval must be greater than zero/],
    [['--cron', 'daily', '--', 'hi'], /Invalid cron expression "daily"/],
    [['--cron', '* * * * *', '--time-zone', 'Mars', '--', 'hi'], /Unknown time zone Mars/],
    [['--every', '5m', '--fail-after', '0', '--', 'hi'], /The count must be a whole number from 1/],
    [['--every', '5m', '--', 'start'], /unknown command 'start'/],
    [['--every', '5m', '--', 'hello'], /required option '--name <name>' not specified/],
    [['--every', '5m'], /missing required argument 'job'/],
  ]
  for (const [args, message] of refused) {
    it(`refuses ${args.join(' ')}`, async () => {
      const terminal = new RecordedTerminal()
      assert.equal(await terminal.run(['run', ...args], {}), 2)
      assert.match(terminal.err, message)
    })
  }
})
