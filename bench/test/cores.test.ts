import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coreNumbers, pinned, shareOut } from '../harness/cores.ts'

describe('a list of cores as Linux writes it', () => {
  const rows: readonly [string, number[]][] = [
    ['0', [0]],
    ['0-1', [0, 1]],
    ['0-2,5,8-9\n', [0, 1, 2, 5, 8, 9]],
  ]
  for (const [list, expected] of rows) {
    it(`${list.trim()} means ${expected}`, () => assert.deepEqual(coreNumbers(list), expected))
  }
})

describe('the cores of a machine', () => {
  const rows: readonly [string, number[], 1 | 2, number[], number[]][] = [
    ['two cores, one for the server', [0, 1], 1, [0], [1]],
    ['two cores, both for the server: the load shares the second', [0, 1], 2, [0, 1], [1]],
    ['four cores, two for the server', [0, 1, 2, 3], 2, [0, 1], [2]],
    ['one core, shared', [4], 1, [4], [4]],
    ['none known', [], 1, [], []],
  ]
  for (const [name, allowed, serverCores, server, load] of rows) {
    it(`are shared out: ${name}`, () => {
      assert.deepEqual(shareOut(allowed, serverCores), { server, load })
    })
  }
})

describe('a command', () => {
  it('is kept on its cores', () => {
    assert.deepEqual(pinned([0, 1], ['node', 'a.ts']), ['taskset', '-c', '0,1', 'node', 'a.ts'])
  })

  it('stays as it is where no cores are known', () => {
    assert.deepEqual(pinned([], ['node', 'a.ts']), ['node', 'a.ts'])
  })
})
