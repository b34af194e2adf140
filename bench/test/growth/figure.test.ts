import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Figure, type Goal, judged } from '../../growth/figure.ts'

const figure = (size: number, value: number, what = 'list'): Figure => ({
  ...{ what, size, value, unit: 'ms' },
})

describe('a figure', () => {
  const rows: readonly [string, Goal[], Figure[], (boolean | null)[]][] = [
    ['has no verdict without a goal', [], [figure(1, 5)], [null]],
    ['reaches a maximum', [{ what: 'list', atMost: 5 }], [figure(1, 5)], [true]],
    ['misses a maximum', [{ what: 'list', atMost: 5 }], [figure(1, 6)], [false]],
    ['misses a minimum', [{ what: 'list', atLeast: 5 }], [figure(1, 4)], [false]],
    [
      'has no verdict from the goal of another size',
      [{ what: 'list', size: 2, atMost: 5 }],
      [figure(1, 6)],
      [null],
    ],
    [
      'is compared with that of the smallest size',
      [{ what: 'list', ratioAtMost: 1.5 }],
      [figure(100, 16), figure(10, 10)],
      [false, null],
    ],
    [
      'is not compared with another value',
      [{ what: 'list', ratioAtMost: 1.5 }],
      [figure(100, 16), figure(10, 10, 'count')],
      [null, null],
    ],
    [
      'meets a goal for all names with one beginning',
      [{ what: 'li*', atMost: 1 }],
      [figure(1, 2)],
      [false],
    ],
    [
      'misses when one of several goals is missed',
      [{ what: 'list', atMost: 100, ratioAtMost: 1.5 }],
      [figure(10, 10), figure(100, 90)],
      [true, false],
    ],
  ]
  for (const [name, goals, figures, expected] of rows) {
    it(name, () => {
      const verdicts = judged('graph', figures, goals).map(({ isReached }) => isReached)
      assert.deepEqual(verdicts, expected)
    })
  }

  it('has its ratio and its goals in words', () => {
    const goals = [{ what: 'list', atMost: 100, ratioAtMost: 1.5 }]
    const [, large] = judged('graph', [figure(10, 10), figure(100, 12)], goals)
    assert.equal(large?.ratio, 1.2)
    assert.equal(large.goal, 'at most 100, ratio at most 1.5')
  })
})
