import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { Consumer } from './consumer.ts'
import { type Finished, run, runtimes } from './program.ts'
import { workerFlags, writeWorker } from './worker.ts'

const suiteFolder = join(import.meta.dirname, './suite')
const admitted = [200, 'Hi', 'admitted']

describe('HTTPS with the local certificate authority', () => {
  const system = new Consumer().install('cli')
  const consumer = new Consumer().install('guard').install('client')
  const entry = join(consumer.folder, 'process-entry.js')
  let server: ChildProcess
  let settings: Record<string, string | undefined>

  before(async () => {
    const bin = join(system.folder, 'node_modules/@greeting/cli/bin/greeting.js')
    const ports = ['--api-port', '0', '--identity-port', '0', '--https-port', '0']
    server = spawn(process.execPath, [bin, 'start', '--json', ...ports], {
      cwd: system.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.ok(server.stdout)
    await once(createInterface(server.stdout), 'line')
    settings = parseEnv(readFileSync(join(system.folder, '.greeting/client.env'), 'utf8'))
    consumer.copy(join(suiteFolder, 'connection-suite.js'), 'suite.js')
    for (const file of ['process-entry.js', 'worker-entry.js'])
      consumer.copy(join(suiteFolder, file), file)
    consumer.copy(settings.NODE_EXTRA_CA_CERTS ?? '', 'authority.pem')
  })
  after(async () => {
    server.kill('SIGINT')
    await once(server, 'exit')
    for (const one of [system, consumer]) one[Symbol.dispose]()
  })

  const inProcess =
    (program: string, ...args: string[]) =>
    () =>
      run(program, [...args, entry], consumer.folder, {
        NODE_EXTRA_CA_CERTS: join(consumer.folder, 'authority.pem'),
      })
  const certificate = ['--cert', join(consumer.folder, 'authority.pem')]
  const denoFlags = ['--no-prompt', '--allow-net', `--allow-read=${consumer.folder}`]
  const onWorkerd = (flags: readonly string[]) => async () => {
    const config = await writeWorker(consumer, 'worker-entry.js', flags, 'authority.pem')
    return run(runtimes.workerd, ['test', config], consumer.folder)
  }
  const runs: Readonly<Record<string, () => Finished | Promise<Finished>>> = {
    'Node 22': inProcess(runtimes['Node 22']),
    'Node 24': inProcess(runtimes['Node 24']),
    'Node 26': inProcess(runtimes['Node 26']),
    Bun: inProcess(runtimes.Bun, 'run'),
    Deno: inProcess(runtimes.Deno, 'run', ...denoFlags, ...certificate),
    ...Object.fromEntries(
      Object.entries(workerFlags).map(([name, flags]) => [`workerd ${name}`, onWorkerd(flags)]),
    ),
  }
  /** BoringSSL does not support name constraints for addresses. */
  const usesBoringSsl = (name: string) => name === 'Bun' || name.startsWith('workerd')

  for (const [name, start] of Object.entries(runs))
    for (const host of usesBoringSsl(name) ? ['localhost'] : ['localhost', '127.0.0.1'])
      it(`works on ${name} for ${host}`, async () => {
        const at = (url = '') => url.replace('//localhost:', `//${host}:`)
        const { HTTPS_AUTH_URL, HTTPS_BASE_URL } = settings
        const input = { settings, authUrl: at(HTTPS_AUTH_URL), baseUrl: at(HTTPS_BASE_URL) }
        consumer.write('input.json', JSON.stringify(input))
        const { stdout, stderr } = await start()
        const line = stdout.split('\n').find((one) => one.startsWith('[')) ?? '[]'
        assert.deepEqual(JSON.parse(line), admitted, stdout + stderr)
      })
})
