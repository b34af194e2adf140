import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hookEntra } from '../src/index.ts'

type Hook = () => Promise<void>

/** The hooks of a test runner, which this test runs itself. */
function recordHooks(options: Parameters<typeof hookEntra>[1]) {
  const hooks: Record<string, Hook> = {}
  const record = (name: string) => (run: Hook) => {
    hooks[name] = run
  }
  const entra = hookEntra(
    {
      beforeAll: record('beforeAll'),
      afterEach: record('afterEach'),
      afterAll: record('afterAll'),
    },
    options,
  )
  return { entra, run: (name: 'beforeAll' | 'afterEach' | 'afterAll') => hooks[name]?.() }
}

describe('the hooks of a test runner', () => {
  it('fail a test if no request has triggered its fault, and reset even then', async () => {
    const { entra, run } = recordHooks({ mustApplyFaults: true })
    await run('beforeAll')
    entra().faults.add({ at: 'keys', fault: 'reset' })
    await assert.rejects(run('afterEach') ?? Promise.resolve(), { code: 'faults_not_applied' })
    assert.deepEqual(entra().faults.list(), [])
    await run('afterEach')
    await run('afterAll')
    await assert.rejects(fetch(entra().url))
  })

  it('have no identity provider before the tests start', () => {
    const { entra } = recordHooks({})
    assert.throws(() => entra(), /Use the identity provider within a test/)
  })
})
