import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assignCores, coreNumbers, pinned } from '../cores.ts'

describe('a core list of Linux', () => {
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
    ['unknown cores', [], 1, [], []],
  ]
  for (const [name, allowed, serverCores, server, load] of rows) {
    it(`are assigned: ${name}`, () => {
      assert.deepEqual(assignCores(allowed, serverCores), { server, load })
    })
  }
})

describe('a command', () => {
  it('stays on its cores', () => {
    assert.deepEqual(pinned([0, 1], ['node', 'a.ts']), ['taskset', '-c', '0,1', 'node', 'a.ts'])
  })

  it('is unchanged with unknown cores', () => {
    assert.deepEqual(pinned([], ['node', 'a.ts']), ['node', 'a.ts'])
  })
})
