import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Consumer } from './consumer.ts'
import { npmScript, npx, run, runtimes } from './program.ts'
import { tarballOf } from './tarball.ts'

const maxOwnModules = 8

describe('npx --no-install greeting with the installed tarball', () => {
  const consumer = new Consumer().install('cli')
  const greeting = (...args: string[]) =>
    npx(['--no-install', 'greeting', ...args], consumer.folder)
  let system: ChildProcess
  let ready: Record<string, { url?: string }> & { lines?: Record<string, string> }

  before(async () => {
    const bin = join(consumer.folder, 'node_modules/@greeting/cli/bin/greeting.js')
    const ports = ['--api-port', '0', '--identity-port', '0']
    system = spawn(process.execPath, [bin, 'start', '--json', ...ports], {
      cwd: consumer.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.ok(system.stdout)
    const [line] = await once(createInterface(system.stdout), 'line')
    ready = JSON.parse(line)
  })
  after(() => {
    system.kill('SIGKILL')
    consumer[Symbol.dispose]()
  })

  it('starts the system, and prints commands of the installed package', async () => {
    assert.equal((await fetch(`${ready.api?.url}/healthz`)).status, 200)
    assert.match(`${ready.lines?.hi}`, /npx --no-install greeting token/)
  })

  it('serves the viewer for the API description', async () => {
    const docs = await (await fetch(`${ready.api?.url}/docs`)).text()
    const paths = [...docs.matchAll(/(?:<link[^>]* href|src)="([^"]+)"/g)].map(([, path]) => path)
    assert.equal(paths.length, 7)
    for (const path of paths) assert.equal((await fetch(`${ready.api?.url}/${path}`)).status, 200)
  })

  const commands = [
    { args: ['hi'], answer: /^Hi$/m },
    { args: ['hello', '--name', 'Ada'], answer: /^Hello, Ada$/m },
    { args: ['doctor'], answer: /^ok +hello +answers/m },
  ]
  for (const { args, answer } of commands) {
    it(`runs ${args.join(' ')} successfully`, () => {
      const { status, stdout, stderr } = greeting(...args)
      assert.equal(status, 0, stderr)
      assert.match(stdout, answer)
    })
  }

  it('stops the system on SIGINT with exit code 0', async () => {
    system.kill('SIGINT')
    assert.deepEqual(await once(system, 'exit'), [0, null])
    await assert.rejects(fetch(`${ready.api?.url}/healthz`))
  })
})

describe('npx -p with the tarball in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-npx-'))
  after(() => {
    files.close()
    rmSync(folder, { recursive: true, force: true })
  })
  // A machine may forbid npx to install, and may have another npx first in its path.
  writeFileSync(join(folder, 'npmrc'), 'yes=true\naudit=false\nupdate-notifier=false\n')
  const script = npmScript().replace('npm-cli', 'npx-cli')
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, {
    mode: 0o755,
  })
  const path = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`
  const env = {
    ...process.env,
    PATH: path,
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_yes: 'true',
    // npx keeps what it has installed.
    npm_config_cache: join(folder, 'cache'),
    NO_COLOR: '1',
  }
  const files = createServer((_, response) => response.end(readFileSync(tarballOf('cli'))))
  before(() => once(files.listen(0, '127.0.0.1'), 'listening'))

  const rows: readonly (readonly [kind: string, address: () => string])[] = [
    ['a file', () => tarballOf('cli')],
    ['a URL', () => `http://127.0.0.1:${(files.address() as AddressInfo).port}/greeting-cli.tgz`],
  ]
  for (const [kind, address] of rows)
    it(`starts from ${kind}, prints commands that work when they are pasted, and stops on a signal`, async (t) => {
      const cwd = mkdtempSync(join(folder, 'empty-'))
      const start = [
        '-p',
        address(),
        'greeting',
        'start',
        '--api-port',
        '0',
        '--identity-port',
        '0',
      ]
      const options = { cwd, env, detached: true, stdio: 'pipe' } as const
      const system = spawn('npx', start, options)
      const closed = once(system, 'close')
      t.after(
        () => system.exitCode ?? system.signalCode ?? process.kill(-(system.pid ?? 0), 'SIGKILL'),
      )
      let out = ''
      let err = ''
      system.stderr.on('data', (text) => (err += text))
      for await (const text of system.stdout) {
        out += text
        if (out.includes('Ctrl-C')) break
      }
      const line = (word: string) => new RegExp(`^  ${word} +(.+)$`, 'm').exec(out)?.[1] ?? ''
      assert.equal(line('try'), `npx -p ${address()} greeting hi`, err)
      assert.equal(line('stop'), 'Ctrl-C')
      assert.ok(!out.includes('\u001b'))
      const pasted = async (command: string) => {
        const shell = spawn('sh', ['-c', command], {
          cwd,
          env,
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const [said = ''] = await shell.stdout.toArray()
        return `${said}`
      }
      assert.equal(await pasted(line('try')), 'Hi\n')
      const link = await pasted(`DISPLAY= WAYLAND_DISPLAY= ${line('look')}`)
      assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/portal\/link\?/)
      assert.equal((await fetch(line('read'))).status, 200)
      // As Ctrl-C: the terminal signals the group. The shell of npx ends by the signal.
      process.kill(-(system.pid ?? 0), 'SIGINT')
      assert.deepEqual(await closed, [null, 'SIGINT'])
      assert.match(err, /^Stopped\.$/m)
      await assert.rejects(fetch(line('read')))
    })
})

it('a job loads only a few files', () => {
  using consumer = new Consumer().install('cli')
  const bin = join(consumer.folder, 'node_modules/@greeting/cli/bin/greeting.js')
  // The hook prints each module that is read from a file.
  const hook = consumer.write(
    'hook.mjs',
    `import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => {
      if (url.startsWith('file:')) process.stderr.write(url + '\\n')
      return next(url, context)
    } })`,
  )
  const args = ['--import', pathToFileURL(hook).href, bin, 'hi']
  const { status, stderr } = run(process.execPath, args, consumer.folder)
  assert.equal(status, 2, stderr)
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'))
  const own = loaded.filter((url) => url.includes('/@greeting/'))
  assert.ok(own.length >= 4 && own.length <= maxOwnModules, own.join('\n'))
  assert.deepEqual(
    loaded.filter((url) => /\/(zod|hono|@opentelemetry)\//.test(url)),
    [],
  )
})

describe('the installed programs', () => {
  const service = { HOST: '127.0.0.1', PORT: '0', HTTPS_PORT: 'off' }
  /** A program, the settings that it needs, and an open request with the status of its answer. */
  const programs = [
    {
      name: 'api',
      command: 'greeting-api',
      on: ['Node 24', 'Node 26', 'Bun'],
      settings: {
        ...service,
        TENANT_ID: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
        API_APPLICATION_ID: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
        // No keys are needed to refuse a request without a token.
        AUTH_URL: 'http://127.0.0.1:9',
      },
      path: '/api/v1/hi',
      status: 401,
    },
    {
      name: 'identity-provider',
      command: 'greeting-identity-provider',
      on: ['Node 24', 'Node 26'],
      settings: { ...service, DATA_DIR: 'data' },
      path: '/readyz',
      status: 200,
    },
  ] as const

  for (const { name, command, on, settings, path, status } of programs) {
    describe(command, () => {
      const consumer = new Consumer().install(name)
      const file = join(consumer.folder, `node_modules/@greeting/${name}/bin/${command}.js`)
      after(() => consumer[Symbol.dispose]())

      for (const runtime of on) {
        it(`on ${runtime} respond with ${status}, and stop with SIGTERM`, async () => {
          const child = spawn(runtimes[runtime], [file], {
            cwd: consumer.folder,
            env: { PATH: process.env.PATH, ...settings },
            stdio: ['ignore', 'pipe', 'inherit'],
          })
          const exit = once(child, 'exit')
          for await (const line of createInterface(child.stdout)) {
            const { msg, url } = JSON.parse(line)
            if (msg !== 'listening') continue
            assert.equal((await fetch(`${url}${path}`)).status, status)
            child.kill('SIGTERM')
          }
          assert.deepEqual(await exit, [0, null])
        })
      }
    })
  }

  it('greeting-api on Bun names its missing settings', () => {
    using consumer = new Consumer().install('api')
    const file = join(consumer.folder, 'node_modules/@greeting/api/bin/greeting-api.js')
    const { status, stderr } = run(runtimes.Bun, [file], consumer.folder)
    assert.equal(status, 2, stderr)
    assert.match(stderr, /TENANT_ID/)
  })
})
