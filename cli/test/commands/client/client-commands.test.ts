import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { answering, granting, serving, unreachableUrl } from '../../fakes/servers.ts'
import { fakeServices } from '../../fakes/services.ts'
import { emptyFile, RecordedTerminal } from '../../fakes/terminal.ts'

const canary = 'canary~secret-that.must_not-be-printed'
const noFile = ['--settings', emptyFile]
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = `${part({ typ: 'JWT', alg: 'RS256' })}.${part({ appid: 'x', iat: 100, exp: 4000 })}.c2ln`

async function environmentOf(test: TestContext, idp: RequestListener, api: RequestListener) {
  return {
    AUTH_URL: await serving(test, idp),
    BASE_URL: await serving(test, api),
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: canary,
    API_APPLICATION_ID: 'api',
  }
}

async function ran(args: readonly string[], environment = {}) {
  const terminal = new RecordedTerminal()
  const code = await terminal.run([...args, ...noFile], environment)
  assert.ok(!`${terminal.out}${terminal.err}`.includes(canary), 'the secret was printed')
  return { code, out: terminal.out, err: terminal.err }
}

const refusal = { error: 'invalid_client', error_description: `AADSTS7000215: Not ${canary}.` }
const forbidden = answering(403, { error: 'access_denied', error_description: 'Access is denied' })

describe('the client commands', () => {
  const api: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '', 'http://api')
    const name = url.searchParams.get('name')
    assert.equal(request.headers.authorization, `Bearer ${token}`)
    answering(200, name === null ? 'Hi' : `Hello, ${name}`)(request, response)
  }
  const rows = [
    { args: ['token'], out: `${token}\n` },
    { args: ['token', '--json'], out: `{"access_token":"${token}","token_type":"Bearer"}\n` },
    { args: ['hi'], out: 'Hi\n' },
    { args: ['hi', '--json'], out: '{"greeting":"Hi"}\n' },
    { args: ['hello', '--name', 'Ada & Zoë+'], out: 'Hello, Ada & Zoë+\n' },
    { args: ['hello', '--name', '', '--json'], out: '{"greeting":"Hello, "}\n' },
  ]
  for (const { args, out } of rows) {
    it(`greeting ${args.join(' ')} prints the result and exits with 0`, async (test) => {
      const environment = await environmentOf(test, granting(token), api)
      assert.deepEqual(await ran(args, environment), { code: 0, out, err: '' })
    })
  }

  it('greeting token --decode prints the header and the claims in readable form', async (test) => {
    const environment = await environmentOf(test, granting(token), api)
    const { code, out } = await ran(['token', '--decode'], environment)
    assert.equal(code, 0)
    assert.match(out, /^Header\n {2}typ {4}JWT\n {2}alg {4}RS256\n\nClaims\n {2}appid {2}x\n/)
    assert.match(out, /\n {2}exp {4}4000 {2}1970-01-01T01:06:40Z, \d+ years ago\n$/)
  })

  it('greeting token --decode --json prints both as JSON', async (test) => {
    const environment = await environmentOf(test, granting(token), api)
    const { out } = await ran(['token', '--decode', '--json'], environment)
    assert.deepEqual(JSON.parse(out), {
      header: { typ: 'JWT', alg: 'RS256' },
      claims: { appid: 'x', iat: 100, exp: 4000 },
    })
  })

  const agents = [
    { args: ['hi', '--agent', 'the-agent'], out: 'Hi\n' },
    { args: ['hello', '--name', 'Ada', '--agent', 'the-agent'], out: 'Hello, Ada\n' },
    { args: ['token', '--agent', 'the-agent'], out: `${token}\n` },
    { args: ['token'], AGENT_ID: 'the-agent', out: `${token}\n` },
    { args: ['token', '--agent', 'the-agent'], AGENT_ID: 'another', out: `${token}\n` },
  ]
  for (const { args, AGENT_ID, out } of agents) {
    const setting = AGENT_ID ? ` with AGENT_ID=${AGENT_ID}` : ''
    it(`greeting ${args.join(' ')}${setting} obtains a token for the agent`, async (test) => {
      const clients: (string | null)[] = []
      const idp: RequestListener = async (request, response) => {
        const form = new URLSearchParams((await request.toArray()).join(''))
        clients.push(form.get('client_id'), form.get('fmi_path'))
        granting(form.has('fmi_path') ? 'exchange' : token)(request, response)
      }
      const environment = await environmentOf(test, idp, api)
      const result = await ran(args, { ...environment, ...(AGENT_ID && { AGENT_ID }) })
      assert.deepEqual(result, { code: 0, out, err: '' })
      assert.deepEqual(clients, ['client', 'the-agent', 'the-agent', null])
    })
  }

  it('read settings from the file if the environment does not set them', async (test) => {
    const { AUTH_URL, ...others } = await environmentOf(test, granting(token), api)
    const file = join(freshFolder(), 'client.env')
    writeFileSync(file, `AUTH_URL=${AUTH_URL}\nCLIENT_SECRET='from the file'\n`)
    const terminal = new RecordedTerminal()
    assert.equal(await terminal.run(['hi', '--settings', file], others), 0)
    assert.equal(terminal.out, 'Hi\n')
  })
})

describe('a failing client command', () => {
  it('exits with 3 (not authenticated) if the credential is refused', async (test) => {
    const environment = await environmentOf(test, answering(401, refusal), answering(200, ''))
    const { code, out, err } = await ran(['token'], environment)
    assert.deepEqual([code, out], [3, ''])
    assert.match(
      err,
      /^The identity provider refused the credential: AADSTS7000215: Not \[redacted\]/,
    )
    assert.match(err, /\nUse the secret's value, not its id/)
  })

  it('exits with 3 (not authenticated) if the API refuses the token', async (test) => {
    const environment = await environmentOf(test, granting(token), answering(401, {}))
    const { code, err } = await ran(['hi'], environment)
    assert.equal(code, 3)
    assert.match(err, /^The API does not accept the token/)
  })

  for (const [args, role] of [
    [['hi'], 'CallHiApiRole'],
    [['hello', '--name', 'Ada'], 'CallHelloApiRole'],
  ] as const) {
    it(`exits with 4 (not allowed) and explains how ${role} is granted`, async (test) => {
      const environment = await environmentOf(test, granting(token), forbidden)
      const { code, err } = await ran(args, environment)
      assert.equal(code, 4)
      assert.match(err, new RegExp(`it lacks the application role ${role}\n`))
      assert.match(err, new RegExp(`Grant ${role} to the client: .* grant admin consent`))
    })
  }

  for (const name of ['AUTH_URL', 'BASE_URL']) {
    it(`exits with 5 (unreachable) if no program listens at ${name}`, async (test) => {
      const environment = await environmentOf(test, granting(token), answering(200, 'Hi'))
      const { code, err } = await ran(['hi', '--deadline', '0.2'], {
        ...environment,
        [name]: await unreachableUrl(),
      })
      assert.equal(code, 5)
      assert.match(err, /could not be reached.*: (no program listens|it did not answer)/)
    })
  }

  it('exits with 2 (bad settings) and lists all errors without a secret', async () => {
    const { code, err } = await ran(['hi'], { AUTH_URL: 'ftp://x', CLIENT_SECRET: canary })
    assert.equal(code, 2)
    assert.match(err, /AUTH_URL "ftp:\/\/x" must be an http or https URL/)
    assert.match(err, /TENANT_ID is missing; CLIENT_ID is missing/)
    assert.match(err, /API_APPLICATION_ID is missing \(or set SCOPE\)/)
    assert.match(err, /run "npx --no-install greeting start"/)
  })

  for (const args of [['hi'], ['hi', '--json'], ['doctor'], ['doctor', '--json']])
    it(`suggests a command that works here when ${args.join(' ')} fails`, async () => {
      const terminal = new RecordedTerminal()
      const services = { ...fakeServices, command: 'npx -p ./x.tgz greeting' }
      await terminal.run([...args, ...noFile], {}, services)
      assert.match(terminal.out + terminal.err, /or run \\?"npx -p \.\/x\.tgz greeting start\\?"/)
    })

  const bad_usage = [
    [],
    ['hello'],
    ['greet'],
    ['hi', '--loud'],
    ['hi', 'there'],
    ['hi', '--deadline', '0'],
    ['hi', '--deadline', '1h'],
  ]
  for (const args of bad_usage) {
    it(`exits with 2 (bad usage) for greeting ${args.join(' ')}`, async () => {
      const terminal = new RecordedTerminal()
      assert.equal(await terminal.run(args), 2)
      assert.notEqual(terminal.err, '')
    })
  }

  it('prints its error as one line of JSON on the error stream, on request', async (test) => {
    const environment = await environmentOf(test, answering(401, refusal), answering(200, ''))
    const { err } = await ran(['hi', '--json'], environment)
    const { error } = JSON.parse(err)
    assert.equal(error.code, 'credential_refused')
    assert.equal(error.aadstsCode, 7000215)
    assert.equal(error.status, 401)
  })
})

describe('help', () => {
  for (const command of [
    [],
    ['start'],
    ['token'],
    ['hi'],
    ['hello'],
    ['registrations', 'plan'],
    ['registrations', 'apply'],
    ['registrations', 'export'],
    ['registrations', 'explain'],
    ['registrations', 'schema'],
    ['keys', 'list'],
    ['keys', 'rotate'],
    ['keys', 'revoke'],
    ['lab', 'faults', 'add'],
    ['lab', 'token'],
    ['lab', 'clock'],
  ]) {
    it(`greeting ${[...command, '--help'].join(' ')} describes the arguments, the options and the exit codes`, async () => {
      const terminal = new RecordedTerminal()
      assert.equal(await terminal.run([...command, '--help']), 0)
      assert.match(terminal.out, new RegExp(`^Usage: ${['greeting', ...command].join(' ')} `))
      assert.match(terminal.out, /Exit codes:\n {2}0 {2}done\n/)
    })
  }
})
