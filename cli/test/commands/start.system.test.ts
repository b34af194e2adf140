import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { fakesIn } from '../fakes/tenants.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

const root = join(import.meta.dirname, '../../..')
const freePorts = ['--api-port', '0', '--identity-port', '0']
// The replacement of npx in it runs the command without a start of npm.
const path = `${join(root, 'test/fixtures/bin')}:${join(root, 'node_modules/.bin')}:${process.env.PATH}`
const guid = '[0-9a-f]{8}-[0-9a-f-]{27}'

const settingsIn = (dataDir: string) => parseEnv(readFileSync(join(dataDir, 'client.env'), 'utf8'))

async function startedIn(dataDir: string, test: TestContext, args: readonly string[] = []) {
  const terminal = new RecordedTerminal()
  const start = ['start', '--data-dir', dataDir, ...freePorts, ...args]
  const ended = terminal.run(start, await fakesIn(dataDir))
  test.after(() => {
    terminal.stop()
    return ended
  })
  await terminal.printed(/\n$/)
  return { terminal, ended }
}

const urlIn = (text: string, title: string) =>
  new RegExp(`${title} +(http\\S+)`).exec(text)?.[1] ?? ''

/** Starts where the start must fail, and resolves with the exit code and the output. */
async function failedStart(dataDir: string, args: readonly string[] = freePorts, fault = '') {
  const terminal = new RecordedTerminal()
  const environment = { PATH: process.env.PATH, ...(await fakesIn(dataDir, fault)) }
  const code = await terminal.run(['start', '--data-dir', dataDir, ...args], environment)
  return { code, out: terminal.out, err: terminal.err }
}

async function portInUse(test: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  return String((server.address() as AddressInfo).port)
}

const sentenceOnPort = (port: string, ...options: readonly string[]) =>
  `${`Port ${port} of 127.0.0.1 is in use\n`.repeat(options.length)}Choose another one with ${options.join(', ')} (0 means any free port), or stop the program that uses it.\n`

describe('greeting start', () => {
  // A start takes longer than all assertions about it, so these tests share one.
  it('runs the system in a folder', async (test) => {
    const dataDir = freshFolder()
    const file = join(dataDir, 'client.env')
    writeFileSync(file, 'NODE_EXTRA_CA_CERTS=/tmp/ca.pem\nBASE_URL=http://127.0.0.1:1\n', {
      mode: 0o644,
    })
    const { terminal, ended } = await startedIn(dataDir, test)
    const idp = urlIn(terminal.out, 'identity provider')
    const api = urlIn(terminal.out, 'greeting API')
    const settings = settingsIn(dataDir)
    const apiLog = () => readFileSync(join(dataDir, 'logs/greeting-api.log'), 'utf8')

    await test.test('shows the addresses in one block without the secret', () => {
      const url = 'http://127\\.0\\.0\\.1:\\d+'
      for (const line of [
        `identity provider +${url} {2}tenant ${settings.TENANT_ID}`,
        `greeting API +${url} {2}application ${settings.API_APPLICATION_ID}`,
        `client +Greeting client {2}application ${settings.CLIENT_ID}`,
      ])
        assert.match(terminal.out, new RegExp(line))
      assert.ok(terminal.out.includes(file))
      assert.ok(settings.CLIENT_SECRET && !terminal.out.includes(settings.CLIENT_SECRET))
      assert.equal(terminal.err, '')
    })
    await test.test('ends with four lines: try, look, read, stop', () => {
      const end =
        /\n\n {2}try {4}npx --no-install greeting hi --settings \S+\n {2}look {3}http\S+\/portal\n {2}read {3}http\S+\/docs\n {2}stop {3}Ctrl-C\n\n$/
      assert.match(terminal.out, end)
    })
    await test.test('shows no address of a lab without --lab', () => {
      assert.doesNotMatch(terminal.out, / lab /)
    })

    await test.test(
      'writes the settings of the client for its owner only, and keeps lines of other programs',
      () => {
        assert.equal(statSync(file).mode & 0o777, 0o600)
        const lines = [
          `AUTH_URL=${idp}`,
          `ISSUER_URL=${idp}`,
          `TENANT_ID=${guid}`,
          `CLIENT_ID=${guid}`,
          "CLIENT_SECRET='?[^\\n]{40,}'?",
          `API_APPLICATION_ID=${guid}`,
          `BASE_URL=${api}`,
          'CLIENT_SECRET_EXPIRES=\\d{4}-.*Z',
          'NODE_EXTRA_CA_CERTS=/tmp/ca.pem',
        ]
        assert.match(readFileSync(file, 'utf8'), new RegExp(`^${lines.join('\\n')}\\n$`))
      },
    )

    await test.test('starts the API against the identity provider that it started', () => {
      assert.deepEqual(JSON.parse(apiLog().split('\n')[0] ?? '').settings, {
        AUTH_URL: idp,
        ISSUER_URL: idp,
        TENANT_ID: settings.TENANT_ID,
      })
    })

    await test.test('does not start or change a second system in the folder', async () => {
      const log = apiLog()
      // Its ports are in use too, but the folder is the reason.
      const ports = ['--identity-port', new URL(idp).port, '--api-port', new URL(api).port]
      assert.deepEqual(await failedStart(dataDir, ports), {
        code: 1,
        out: '',
        err: `Another local system uses the data folder ${dataDir}.\nStop it, or choose another folder with --data-dir.\n`,
      })
      assert.equal(apiLog(), log)
      assert.ok(!existsSync(join(dataDir, 'stopped-cleanly')))
      assert.equal((await fetch(`${api}/readyz`)).status, 200)
    })

    await test.test('stops both services and ends', async () => {
      terminal.stop()
      assert.equal(await ended, 0)
      assert.equal(terminal.err, 'Stopped.\n')
      assert.ok(existsSync(join(dataDir, 'stopped-cleanly')))
      await assert.rejects(fetch(api))
    })

    const second = await startedIn(dataDir, test)

    await test.test(
      'registers nothing a second time, and keeps the changes of administrators',
      () => {
        const { AUTH_URL: _a, ISSUER_URL: _i, BASE_URL: _b, ...after } = settingsIn(dataDir)
        assert.deepEqual({ ...settings, ...after }, settings)
      },
    )

    await test.test(
      'when one service ends by itself, stops the other, reports this, and ends with 1',
      async () => {
        rmSync(join(dataDir, 'stopped-cleanly'))
        await fetch(`${urlIn(second.terminal.out, 'greeting API')}/die`).catch(() => undefined)
        assert.equal(await second.ended, 1)
        assert.match(
          second.terminal.err,
          /^The greeting API stopped unexpectedly\. The other services were stopped\.\n/,
        )
        assert.match(second.terminal.err, /exit code 7/)
        assert.ok(existsSync(join(dataDir, 'stopped-cleanly')))
      },
    )
  })

  it('runs the system with a lab', async (test) => {
    const { terminal } = await startedIn(freshFolder(), test, ['--lab'])

    await test.test('shows the address of the lab', () => {
      const row = / lab +http:\/\/127\.0\.0\.1:\d+\/lab {2}.* never use it in production\n/
      assert.match(terminal.out, row)
    })
  })

  it('warns about a data folder that other users may write to', async (test) => {
    const port = await portInUse(test)
    for (const mode of [0o777, 0o770, 0o702]) {
      const dataDir = freshFolder()
      chmodSync(dataDir, mode)
      const { err } = await failedStart(dataDir, [...freePorts, '--api-port', port])
      assert.equal(
        err,
        `Other users can write to the data folder, which contains secrets. Run: chmod go-w ${dataDir}\n${sentenceOnPort(port, '--api-port')}`,
      )
    }
  })

  it('prints three lines that work unchanged in a shell', async (test) => {
    const { terminal } = await startedIn(freshFolder(), test, ['--json'])
    const { lines } = JSON.parse(terminal.out)
    const env = { ...process.env, PATH: path }
    const sh = async (line: string) =>
      (await promisify(execFile)('sh', ['-c', line], { cwd: root, env })).stdout
    assert.deepEqual(Object.keys(lines), ['token', 'hi', 'hello'])
    const [token, hi, hello] = await Promise.all([sh(lines.token), sh(lines.hi), sh(lines.hello)])
    assert.equal(JSON.parse(token).token_type, 'Bearer')
    assert.equal(hi, 'Hi')
    assert.equal(hello, 'Hello, Ada')
  })
})

describe('a failing greeting start', () => {
  const ports = ['--identity-port', '--https-port', '--api-port', '--api-https-port']
  for (const options of [...ports.map((option) => [option]), ports]) {
    it(`names the port that is in use and the option for another port: ${options}`, async (test) => {
      const port = await portInUse(test)
      const dataDir = join(freshFolder(), 'data')
      const chosen = options.flatMap((option) => [option, port])
      const ended = await failedStart(dataDir, [...freePorts, ...chosen])
      assert.deepEqual(ended, { code: 1, out: '', err: sentenceOnPort(port, ...options) })
      assert.ok(!existsSync(dataDir), 'the data folder was not created')
    })
  }

  it('reports that the data folder cannot be locked', async () => {
    const dataDir = freshFolder()
    mkdirSync(join(dataDir, 'start.lock'))
    const { code, err } = await failedStart(dataDir)
    assert.equal(code, 1)
    assert.match(
      err,
      /^The file .*start\.lock cannot be locked: unable to open database file\.\nChoose another folder /,
    )
  })

  const refusedFolders: [path: string, reason: string][] = [
    ['file', 'a file has this name'],
    ['file/data', 'a part of its path is a file'],
  ]
  if (process.platform === 'linux')
    refusedFolders.push(['/proc/none/data', 'its path does not exist, and cannot be created'])
  for (const [path, reason] of refusedFolders) {
    it(`reports that the data folder cannot be created at ${path}`, {
      timeout: 10_000,
    }, async () => {
      const folder = freshFolder()
      writeFileSync(join(folder, 'file'), '')
      const dataDir = resolve(folder, path)
      assert.deepEqual(await failedStart(dataDir), {
        code: 1,
        out: '',
        err: `Cannot write to the data folder ${dataDir}: ${reason}.\nChoose another folder with --data-dir, or fix this one.\n`,
      })
    })
  }

  it('refuses an empty data folder path', async () => {
    const { code, err } = await failedStart('')
    assert.equal(code, 2)
    assert.match(err, /The path must not be empty/)
  })

  it("prints only the service's own message about a corrupt data folder", async () => {
    const ended = await failedStart(freshFolder(), freePorts, 'identity-provider')
    assert.deepEqual(ended, {
      code: 1,
      out: '',
      err: 'The store of the fake identity provider is corrupt: restore it from a backup.\n',
    })
  })

  it('explains why the registrations cannot be created, and continues at the next start', async (test) => {
    const dataDir = freshFolder()
    const { code, err } = await failedStart(dataDir, freePorts, 'consent')
    assert.equal(code, 4)
    assert.match(err, /lacks the application role AppRoleAssignment\.ReadWrite\.All/)
    assert.ok(existsSync(join(dataDir, 'stopped-cleanly')))
    await startedIn(dataDir, test)
  })

  it('does not wait for an identity provider that has exited', async () => {
    const dataDir = freshFolder()
    const { code, err } = await failedStart(dataDir, freePorts, 'dies')
    assert.equal(code, 1)
    assert.match(err, /^The identity provider stopped \(exit code 9\). Its log is /)
  })

  it('reports an error that a service did not handle', async () => {
    const { code, err } = await failedStart(freshFolder(), freePorts, 'throws')
    assert.equal(code, 1)
    assert.match(err, /^Error: a fault of the fake identity provider\n +at /)
  })

  it('stops the identity provider if the API cannot start', async () => {
    const dataDir = freshFolder()
    const { code, err } = await failedStart(dataDir, freePorts, 'greeting-api')
    assert.equal(code, 1)
    assert.equal(err, 'Port 1 of the fake API is in use.\n')
    assert.ok(existsSync(join(dataDir, 'stopped-cleanly')))
  })

  it('names the log of a service that exited without a message', async () => {
    const dataDir = freshFolder()
    const { code, err } = await failedStart(dataDir, freePorts, 'silent')
    assert.equal(code, 1)
    assert.equal(
      err,
      `The greeting API stopped (exit code 3). Its log is ${join(dataDir, 'logs/greeting-api.log')}.\n`,
    )
  })

  it("limits the size of a service's two log files", async () => {
    const dataDir = freshFolder()
    const options = [...freePorts, '--max-log-mib', '1']
    assert.equal((await failedStart(dataDir, options, 'long_log')).code, 1)
    const folder = join(dataDir, 'logs')
    const sizes = readdirSync(folder)
      .filter((name) => name.startsWith('greeting-api'))
      .map((name) => statSync(join(folder, name)).size)
    assert.equal(sizes.length, 2)
    for (const bytes of sizes) assert.ok(bytes > 0 && bytes <= 1024 * 1024, `${bytes} bytes`)
  })

  it('reports that the client settings cannot be written', async () => {
    const dataDir = freshFolder()
    mkdirSync(join(dataDir, 'client.env'))
    const { code, err } = await failedStart(dataDir)
    assert.equal(code, 1)
    assert.match(err, /^Cannot read the file .*client\.env: a folder has this name\.\n/)
  })
})
