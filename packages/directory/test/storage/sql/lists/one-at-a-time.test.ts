import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OneAtATime } from '../../../../src/storage/sql/lists/one-at-a-time.ts'

describe('tasks that run one at a time', () => {
  it('begin after the previous task, even if that task fails', async () => {
    const tasks = new OneAtATime()
    const steps: string[] = []
    const task = (name: string) => async () => {
      steps.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      steps.push(`${name} ends`)
      if (name === 'first') throw new Error(name)
      return name
    }
    const first = tasks.run(task('first'))
    const second = tasks.run(task('second'))
    await assert.rejects(first, { message: 'first' })
    assert.equal(await second, 'second')
    assert.deepEqual(steps, ['first begins', 'first ends', 'second begins', 'second ends'])
  })
})
