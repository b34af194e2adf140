import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Consumer } from '../consumer.ts'
import { npx, run, runtimes } from '../program.ts'

const maxOwnModules = 8

describe('npx --no-install greeting beside the installed tarball', () => {
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

  it('start is ready, and prints commands of the installed package', async () => {
    assert.equal((await fetch(`${ready.api?.url}/healthz`)).status, 200)
    assert.match(`${ready.lines?.hi}`, /npx --no-install greeting token/)
  })

  it('serves the viewer of the API description', async () => {
    const docs = await (await fetch(`${ready.api?.url}/docs`)).text()
    const paths = [...docs.matchAll(/(?:<link[^>]* href|src)="([^"]+)"/g)].map(([, path]) => path)
    assert.equal(paths.length, 4)
    for (const path of paths) assert.equal((await fetch(`${ready.api?.url}/${path}`)).status, 200)
  })

  const commands = [
    { args: ['hi'], answer: /^Hi$/m },
    { args: ['hello', '--name', 'Ada'], answer: /^Hello, Ada$/m },
    { args: ['doctor'], answer: /^ok +hello +answers/m },
  ]
  for (const { args, answer } of commands) {
    it(`${args.join(' ')} succeeds`, () => {
      const { status, stdout, stderr } = greeting(...args)
      assert.equal(status, 0, stderr)
      assert.match(stdout, answer)
    })
  }

  it('SIGINT stops the system with exit code 0', async () => {
    system.kill('SIGINT')
    assert.deepEqual(await once(system, 'exit'), [0, null])
    await assert.rejects(fetch(`${ready.api?.url}/healthz`))
  })
})

it('a job loads few files', () => {
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
        it(`on ${runtime} answers ${status}, and stops with SIGTERM`, async () => {
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

  it('greeting-api on Bun asks for its settings', () => {
    using consumer = new Consumer().install('api')
    const file = join(consumer.folder, 'node_modules/@greeting/api/bin/greeting-api.js')
    const { status, stderr } = run(runtimes.Bun, [file], consumer.folder)
    assert.equal(status, 2, stderr)
    assert.match(stderr, /TENANT_ID/)
  })
})
