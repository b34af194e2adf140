import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { styleText } from 'node:util'
import { sampleFile } from '@greeting/registrations/samples'
import { visibleTerminal } from '../src/terminal.ts'
import { ServedGraph } from './commands/registrations/served-graph.ts'
import { answering, granting, serving } from './fakes/servers.ts'
import { emptyFile, RecordedTerminal } from './fakes/terminal.ts'

/** Window title, bell, colour, cursor, eight-bit CSI, delete, override, isolate, zero width, return. */
const hostile =
  '\u001b]0;owned\u0007\u001b[31m\u001b[2J\u009b2J\u007f\u202e\u2066\u200b\u200f\ufeff\u{e0041}\r'
const steers = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u

const assertCalm = (text: string) => {
  assert.doesNotMatch(text.replaceAll(/[\n\t]/g, ''), steers)
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hostileToken = `${part({ alg: 'RS256', [hostile]: hostile })}.${part({ roles: [hostile], sub: hostile })}.c2ln`

const complaint = { error: hostile, error_description: hostile, error_codes: [7000215] }
const api: RequestListener = (request, response) =>
  answering(200, request.url?.startsWith('/api') ? hostile : { status: 'alive' })(request, response)

async function ran(test: TestContext, args: readonly string[], made: Made = {}) {
  const { idp = granting(hostileToken), server = api, isOutTerminal = false } = made
  const terminal = new RecordedTerminal()
  terminal.isOutTerminal = isOutTerminal
  const code = await terminal.run([...args], {
    AUTH_URL: await serving(test, idp),
    BASE_URL: await serving(test, server),
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'x',
    API_APPLICATION_ID: 'api',
    TOKEN_CACHE_FILE: 'off',
  })
  return { code, out: terminal.out, err: terminal.err }
}
type Made = { idp?: RequestListener; server?: RequestListener; isOutTerminal?: boolean }

const quick = ['--deadline', '0.5', '--settings', emptyFile]

describe('CL16: no terminal control characters are printed by', () => {
  const rows: [string, readonly string[], Made?][] = [
    ['an unknown command', [hostile]],
    ['an unknown option', ['hi', `--${hostile}`]],
    ['an invalid header', ['call', 'GET', '/', '--header', hostile]],
    ['an invalid path', ['call', 'GET', hostile]],
    ['an invalid time', ['audit', '--since', hostile]],
    ['an invalid cron expression', ['run', '--cron', hostile, ...quick, '--', 'hi']],
    ['an unknown job', ['run', '--every', '1s', ...quick, '--', hostile]],
    ['a missing settings file', ['hi', '--settings', hostile]],
    ['a missing registrations file', ['registrations', 'plan', hostile]],
    ['doctor, about a false token', ['doctor', ...quick]],
    ['doctor, about a false refusal', ['doctor', ...quick], { idp: answering(400, complaint) }],
    ['doctor, about a false document', ['doctor', ...quick], { idp: document(hostile) }],
    [
      'doctor, about another token server',
      ['doctor', ...quick],
      { idp: document(`http://x/${hostile}`) },
    ],
    ['doctor --json', ['doctor', '--json', ...quick], { idp: answering(400, complaint) }],
    ['token', ['token', ...quick], { idp: answering(400, complaint) }],
    ['token --decode', ['token', '--decode', ...quick]],
    ['token --decode --json', ['token', '--decode', '--json', ...quick]],
    [
      'call, about a refusal',
      ['call', 'GET', '/api', ...quick],
      { server: answering(400, hostile) },
    ],
    ['call --json', ['call', 'GET', '/api', '--json', ...quick]],
    ['hi --json', ['hi', '--json', ...quick]],
    ['hi, on a terminal', ['hi', ...quick], { isOutTerminal: true }],
    ['hello, on a terminal', ['hello', '--name', 'x', ...quick], { isOutTerminal: true }],
    ['call, on a terminal', ['call', 'GET', '/api', ...quick], { isOutTerminal: true }],
  ]
  for (const [name, args, made] of rows)
    it(name, async (test) => {
      const { out, err } = await ran(test, args, made)
      assert.notEqual(out + err, '')
      assertCalm(out + err)
    })

  it("run, for its job's response", async (test) => {
    const terminal = new RecordedTerminal()
    test.after(() => terminal.stop())
    const running = terminal.run(['run', '--every', '1h', ...quick, '--', 'hi'], {
      AUTH_URL: await serving(test, granting(hostileToken)),
      BASE_URL: await serving(test, api),
      TENANT_ID: 'tenant',
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'x',
      API_APPLICATION_ID: 'api',
    })
    const printed = await terminal.printed(/owned/)
    terminal.stop()
    await running
    assertCalm(printed)
  })
})

function document(token_endpoint: string): RequestListener {
  return (request, response) =>
    (request.method === 'GET' ? answering(200, { token_endpoint }) : granting(hostileToken))(
      request,
      response,
    )
}

describe('CL16: an untrusted registrations file', () => {
  const [api] = sampleFile().apis
  const files: [string, unknown][] = [
    ['a property', { [hostile]: 1 }],
    ['a property of an entry', { apis: [{ ...api, [hostile]: 1 }] }],
    ['a name', { apis: [{ ...api, displayName: `x${hostile}y` }] }],
    ['a name without an object', { removed: ['x'], consents: [{ client: hostile, api: hostile }] }],
  ]
  for (const [name, file] of files)
    it(`controls no terminal by ${name}`, async (test) => {
      const served = await ServedGraph.start(test)
      const path = await served.file(file)
      for (const args of [
        ['plan', path],
        ['plan', path, '--json'],
        ['apply', path],
      ]) {
        const { out, err } = await served.run(args)
        assertCalm(out + err)
      }
      const { out, code } = await served.run(['export'])
      assert.equal(code, 0)
      assertCalm(out)
      assert.doesNotThrow(() => JSON.parse(out))
    })

  it('adds no line to a plan', async (test) => {
    const served = await ServedGraph.start(test)
    const displayName = 'x"\n  + secret "y" of "z'
    const { out } = await served.run([
      'plan',
      await served.file({ apis: [{ ...api, displayName }] }),
    ])
    assert.ok(out.includes('+ application "x"\\u000a  + secret'), out)
  })

  it('cannot alter a question', async (test) => {
    const served = await ServedGraph.start(test)
    const displayName = `x${hostile}y`
    const application = await served.tenant.send('POST', '/applications', { displayName: 'x' })
    const line = /^GET \/applications$/
    // The server accepts no such name.
    const edit = () => ({ value: [{ ...application, displayName }] })
    served.tenant.faults.push({ line, times: 100, edit })
    const path = await served.file({ clients: [{ displayName }] })
    await served.run(['apply', path], 'no')
    assert.equal(served.questions.length, 1)
    assertCalm(served.questions.join(''))
  })
})

describe('CL16: unchanged output', () => {
  for (const args of [['hi'], ['hello', '--name', 'x'], ['call', 'GET', '/api']])
    it(`applies to the body that ${args[0]} passes on to a program`, async (test) => {
      const { out } = await ran(test, [...args, ...quick])
      assert.equal(out, `${hostile}\n`)
    })

  it('applies to JSON output', async (test) => {
    const { out } = await ran(test, ['hi', '--json', ...quick])
    assert.deepEqual(JSON.parse(out), { greeting: hostile })
  })

  it("applies to the command's own colors", () => {
    let printed = ''
    const paint = (_: string, text: string) => styleText('red', text, { validateStream: false })
    const terminal = visibleTerminal({
      ...new RecordedTerminal().terminal(),
      out: (text) => {
        printed += text
      },
      paint,
    })
    terminal.out(`${terminal.paint('red', hostile)}\n`)
    assert.ok(printed.startsWith('\u001b[31m\\u001b]0;owned') && printed.endsWith('\u001b[39m\n'))
    assertCalm(printed.slice(5, -6))
  })
})

describe('a redrawn line', () => {
  it('cannot control the screen, and is removed before any other text', () => {
    const shown: string[] = []
    const show = (kind: string) => (text: string) => void shown.push(`${kind} ${text}`)
    const terminal = visibleTerminal({
      ...new RecordedTerminal().terminal(),
      out: show('out'),
      err: show('err'),
      redraw: show('redraw'),
    })
    terminal.err('first\n')
    terminal.redraw?.(`one\n${hostile}`)
    terminal.redraw?.('two')
    terminal.out('result\n')
    terminal.err('note\n')
    assert.deepEqual(
      shown.filter((_, index) => index !== 1),
      ['err first\n', 'redraw two', 'redraw ', 'out result\n', 'err note\n'],
    )
    assert.match(shown[1] ?? '', /^redraw one\\u000a/)
    assert.doesNotMatch(shown[1] ?? '', steers)
  })
})
