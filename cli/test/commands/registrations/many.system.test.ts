import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manyClients } from '../../../../test/fixtures/graph/many-clients.ts'
import { RecordedTerminal } from '../../fakes/terminal.ts'
import { ServedGraph } from './served-graph.ts'

const count = 30

describe('greeting registrations with many clients', () => {
  it('reports the number of registrations first, and opens only a few sockets', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(manyClients(99))
    const { code, err } = await served.run(['apply', path, '--requests-in-flight', '4'])
    assert.equal(code, 0, err)
    assert.ok(err.startsWith(`Comparing 100 registrations of ${path} with the directory.\n`))
    // A socket becomes free some event-loop turns after its answer was read, so another one may open.
    assert.ok(served.sockets.most <= 8 + 1, `${served.sockets.most} sockets`)
  })

  for (const [text, isValid] of [
    ['1', true],
    ['64', true],
    ['0', false],
    ['65', false],
    ['1.5', false],
    ['eight', false],
  ] as const) {
    it(`${isValid ? 'accepts' : 'refuses'} --requests-in-flight ${text}`, async (test) => {
      const served = await ServedGraph.start(test)
      const path = await served.file(manyClients(1))
      const { code, err } = await served.run(['plan', path, '--requests-in-flight', text])
      assert.equal(code, isValid ? 0 : 2)
      if (!isValid) assert.match(err, /must be a whole number from 1 to 64/)
    })
  }

  it('prints one event per line with --json, and nothing with --quiet', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(manyClients(2))
    const { out, err } = await served.run(['apply', path, '--json'])
    assert.equal(JSON.parse(out).done.length, 14)
    const events = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(events[0], { event: 'plan_started', file: path, registrations: 3 })
    const last = events.filter(({ activity }) => activity === 'apply_changes').at(-1)
    assert.deepEqual([last.done, last.total, last.seconds_left], [14, 14, 0])
    const quiet = await served.run(['plan', path, '--json', '--quiet'])
    assert.equal(quiet.err, '')
  })

  it('stops on Ctrl-C with exit code 130, and reports the completed changes', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(manyClients(count))
    const terminal = new RecordedTerminal()
    const { lines } = served.tenant
    served.onRequest = () => {
      if (lines.filter((line) => line === 'POST /applications').length > 10) terminal.interrupt()
    }
    const args = ['registrations', 'apply', path, '--data-dir', served.folder]
    const code = await terminal.run(args, served.environment)
    assert.equal(code, 130)
    const [, done] =
      /^Stopped by SIGINT\. (\d+) of 154 changes are done\.$/m.exec(terminal.err) ?? []
    assert.ok(Number(done) > 10 && Number(done) < 120, terminal.err)
    assert.match(terminal.out, /\nDone:\n(.*\n)+Not attempted:\n/)
    assert.doesNotMatch(terminal.out, /Refused/)
    assert.equal((await served.run(['apply', path])).code, 0)
    assert.equal((await served.tenant.applications()).length, count + 1)
  })

  it('stops on Ctrl-C while it reads, and changes nothing', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(manyClients(20))
    const terminal = new RecordedTerminal()
    served.onRequest = () => terminal.interrupt()
    const args = ['registrations', 'apply', path, '--data-dir', served.folder]
    assert.equal(await terminal.run(args, served.environment), 130)
    assert.equal(terminal.err, 'Stopped by SIGINT.\n')
    assert.ok(served.tenant.lines.length <= 8)
  })
})
