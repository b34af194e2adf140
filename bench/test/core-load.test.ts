import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { busySecondsIn, CoreLoad, processorSecondsIn } from '../harness/core-load.ts'

const stat = `cpu  300 0 60 1400 40 0 6 0 0 0
cpu0 200 0 40 700 30 0 4 0 0 0
cpu1 100 0 20 700 10 0 2 0 0 0
intr 1 2 3
`

describe('the time of cores', () => {
  it('is busy when they are neither idle nor waiting for a disk', () => {
    assert.equal(busySecondsIn(stat, [0]), 2.44)
  })

  it('of several cores is added up', () => {
    assert.equal(busySecondsIn(stat, [0, 1]), 3.66)
  })
})

describe('the processor time of a process', () => {
  it('is what it used itself and what the system used for it', () => {
    const stat = '42 (a ) name) S 1 42 42 0 -1 4194304 900 0 0 0 250 75 8 9 20 0 11 0 100 0 0'
    assert.equal(processorSecondsIn(stat), 3.25)
  })
})

describe('a server that is watched', () => {
  const work = (ms: number) => {
    const end = performance.now() + ms
    while (performance.now() < end);
  }

  it('is told of only while it is', { skip: process.platform !== 'linux' && 'no /proc' }, () => {
    const load = new CoreLoad(process.pid, [0])
    for (const _ of [1, 2]) {
      load.watch()
      work(60)
      load.lookAway()
      work(200)
    }
    const { busy, processorSeconds } = load
    assert.ok(processorSeconds !== null && processorSeconds >= 0.04 && processorSeconds <= 0.3)
    assert.ok(busy !== null && busy >= 0 && busy <= 1)
  })

  it('is told nothing of where the system does not tell which cores it has', () => {
    const load = new CoreLoad(process.pid, [])
    load.watch()
    load.lookAway()
    assert.deepEqual([load.busy, load.processorSeconds], [null, null])
  })
})
