import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Consumer } from '../consumer.ts'
import { peerFolder, run, runtimes } from '../program.ts'

const guardOptions = `{
  tenantId: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
  apiApplicationId: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
  roles: ['CallHiApiRole'],
}`

const testOfUser = `import { createGuard, entra } from '@greeting/guard'
test('a request without a token is 401', async () => {
  const guard = createGuard(entra(${guardOptions}))
  const decision = await guard.decide({ authorization: undefined, target: '/' }, 'CallHiApiRole')
  expect(decision.status).toBe(401)
})
`

describe('the guard in a project', () => {
  const consumer = new Consumer().install('guard').add({ vitest: 'vitest', jest: 'jest' })
  after(() => consumer[Symbol.dispose]())

  it('of CommonJS is loaded with require() on each Node', () => {
    const file = consumer.write(
      'consumer.cjs',
      `const { createGuard, entra } = require('@greeting/guard')
      const { guardedFetch } = require('@greeting/guard/web')
      const guard = createGuard(entra(${guardOptions}))
      Promise.resolve(guardedFetch(guard, '/api', {})(new Request('https://a.example/api/b'))).then((r) => console.log(r.status))`,
    )
    for (const name of ['Node 22', 'Node 24', 'Node 26'] as const) {
      const { stdout, stderr } = run(runtimes[name], [file], consumer.folder)
      assert.equal(stdout.trim(), '401', `${name}: ${stderr}`)
    }
  })

  it('is tested with vitest', () => {
    consumer.write('vitest/guard.test.js', `import { expect, test } from 'vitest'\n${testOfUser}`)
    const args = [join(peerFolder, 'vitest/vitest.mjs'), 'run', '--dir', 'vitest']
    const { status, stdout, stderr } = run(process.execPath, args, consumer.folder, { CI: 'true' })
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /1 passed/)
  })

  it('is tested with jest as ES modules', () => {
    consumer.write('jest/guard.test.js', testOfUser)
    const args = ['--experimental-vm-modules', join(peerFolder, 'jest/bin/jest.js')]
    const { status, stdout, stderr } = run(
      process.execPath,
      [...args, '--rootDir', 'jest', '--testEnvironment', 'node'],
      consumer.folder,
    )
    assert.equal(status, 0, stdout + stderr)
    assert.match(stderr, /1 passed/)
  })
})
