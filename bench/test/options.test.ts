import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeOptions, usage } from '../harness/options.ts'

const ids = ['fast-jwt', 'fast-jwt-new', 'haproxy-open']
const defaults = { only: [], starts: 3, seconds: 1, rounds: 3, tiny: false, help: false }

describe('the command line', () => {
  const good: readonly [string, string[], object][] = [
    ['may be empty', [], {}],
    ['chooses rows by their beginning', ['--only', 'fast,haproxy'], { only: ['fast', 'haproxy'] }],
    ['sets seconds and rounds', ['--seconds=10', '--rounds', '5'], { seconds: 10, rounds: 5 }],
    ['sets how often servers are started', ['--starts', '1'], { starts: 1 }],
    ['may ask for the tiny run', ['--tiny'], { tiny: true }],
    ['may ask for help', ['--help'], { help: true }],
  ]
  for (const [name, argv, expected] of good) {
    it(name, () => {
      assert.deepEqual(judgeOptions(argv, ids), { options: { ...defaults, ...expected } })
    })
  }

  const bad: readonly [string, string[], RegExp[]][] = [
    ['an option that is misspelt', ['--round', '3'], [/--round: no such option/, /3: no such/]],
    ['a row that does not exist', ['--only', 'slow'], [/--only slow: .* fast-jwt, fast-jwt-new/]],
    ['a number that is none', ['--seconds', 'x'], [/--seconds x: .* from 1 to 10/]],
    ['a number that is too large', ['--rounds', '99'], [/--rounds 99: .* from 1 to 31/]],
    [
      'all faults together',
      ['--starts=10', '--seconds=0', '--rounds=0'],
      [/--starts 10: .* from 1 to 9/, /--seconds 0/, /--rounds 0/],
    ],
  ]
  for (const [name, argv, expected] of bad) {
    it(`is refused: ${name}`, () => {
      const judged = judgeOptions(argv, ids)
      assert.ok('faults' in judged)
      assert.equal(judged.faults.length, expected.length)
      for (const [index, pattern] of expected.entries()) {
        assert.match(judged.faults[index] ?? '', pattern)
      }
    })
  }

  it('is explained whole by the help', () => {
    for (const name of ['--only', '--starts', '--seconds', '--rounds', '--tiny', '--help']) {
      assert.ok(usage.includes(name), name)
    }
  })
})
