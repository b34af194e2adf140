import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { type Finished, run, runtimes } from './program.ts'
import { suiteInput } from './suite/rows.ts'
import { workerFlags, writeWorker } from './worker.ts'

type Result = { readonly name: string; readonly fault?: string }

const suiteFolder = join(import.meta.dirname, './suite')
const minTests = suiteInput.rows.length + 7

describe('the common test suite of the guard and the client', () => {
  const consumer = new Consumer().install('guard').install('client')
  const entry = join(consumer.folder, 'process-entry.js')
  before(() => {
    for (const file of ['suite.js', 'process-entry.js', 'worker-entry.js'])
      consumer.copy(join(suiteFolder, file), file)
    consumer.write('input.json', JSON.stringify(suiteInput))
  })
  after(() => consumer[Symbol.dispose]())

  const inProcess =
    (program: string, ...args: string[]) =>
    () =>
      run(program, [...args, entry], consumer.folder)
  const onWorkerd = (flags: readonly string[]) => async () => {
    const config = await writeWorker(consumer, 'worker-entry.js', flags)
    return run(runtimes.workerd, ['test', config], consumer.folder)
  }
  const runs: Readonly<Record<string, () => Finished | Promise<Finished>>> = {
    'Node 22': inProcess(runtimes['Node 22']),
    'Node 24': inProcess(runtimes['Node 24']),
    'Node 26': inProcess(runtimes['Node 26']),
    Bun: inProcess(runtimes.Bun, 'run'),
    // Neither the network nor a file outside of this folder.
    Deno: inProcess(runtimes.Deno, 'run', '--no-prompt', `--allow-read=${consumer.folder}`),
    ...Object.fromEntries(
      Object.entries(workerFlags).map(([name, flags]) => [`workerd ${name}`, onWorkerd(flags)]),
    ),
  }

  for (const [name, start] of Object.entries(runs)) {
    it(`passes on ${name}`, async () => {
      const { status, stdout, stderr } = await start()
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
