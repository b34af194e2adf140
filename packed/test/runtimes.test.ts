import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { build } from 'esbuild'
import { Consumer } from '../consumer.ts'
import { type Finished, run, runtimes } from '../program.ts'
import { suiteInput } from '../suite/rows.ts'

type Result = { readonly name: string; readonly fault?: string }

const suiteFolder = join(import.meta.dirname, '../suite')
const minTests = suiteInput.rows.length + 7

const workerConfig = (flags: readonly string[]) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(', ')}],
))]);
`

describe('one suite of the guard and the client', () => {
  const consumer = new Consumer().install('guard').install('client')
  const entry = join(consumer.folder, 'process-entry.js')
  before(async () => {
    for (const file of ['suite.js', 'process-entry.js', 'worker-entry.js'])
      consumer.copy(join(suiteFolder, file), file)
    consumer.write('input.json', JSON.stringify(suiteInput))
    consumer.write('workerd.capnp', workerConfig(['nodejs_compat']))
    await build({
      entryPoints: [join(consumer.folder, 'worker-entry.js')],
      outfile: join(consumer.folder, 'worker.js'),
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker'],
      external: ['node:*'],
      logLevel: 'error',
    })
  })
  after(() => consumer[Symbol.dispose]())

  const inProcess =
    (program: string, ...args: string[]) =>
    () =>
      run(program, [...args, entry], consumer.folder)
  const runs: Readonly<Record<string, () => Finished>> = {
    'Node 22': inProcess(runtimes['Node 22']),
    'Node 24': inProcess(runtimes['Node 24']),
    'Node 26': inProcess(runtimes['Node 26']),
    Bun: inProcess(runtimes.Bun, 'run'),
    // Neither the network nor a file outside of this folder.
    Deno: inProcess(runtimes.Deno, 'run', '--no-prompt', `--allow-read=${consumer.folder}`),
    'workerd with nodejs_compat': () =>
      run(runtimes.workerd, ['test', join(consumer.folder, 'workerd.capnp')], consumer.folder),
  }

  for (const [name, start] of Object.entries(runs)) {
    it(`passes on ${name}`, () => {
      const { status, stdout, stderr } = start()
      const line = stdout.split('\n').find((one) => one.startsWith('[{')) ?? '[]'
      const results: Result[] = JSON.parse(line)
      assert.deepEqual(
        results.filter(({ fault }) => fault !== undefined),
        [],
      )
      assert.ok(results.length >= minTests, `${results.length} tests ran\n${stdout}${stderr}`)
      assert.equal(status, 0, stderr)
    })
  }
})
