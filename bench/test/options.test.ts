import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readOptions, usage } from '../harness/options.ts'
import { benchFolder } from '../harness/programs.ts'

const ids = ['fast-jwt', 'fast-jwt-new', 'haproxy-open']
const defaults = { only: [], starts: 3, seconds: 1, rounds: 2, tiny: false, help: false }

describe('the command line', () => {
  const good: readonly [string, string[], object][] = [
    ['may be empty', [], {}],
    ['selects rows by their beginning', ['--only', 'fast,haproxy'], { only: ['fast', 'haproxy'] }],
    ['sets seconds and rounds', ['--seconds=10', '--rounds', '5'], { seconds: 10, rounds: 5 }],
    ['sets how often servers are started', ['--starts', '1'], { starts: 1 }],
    ['selects the tiny run', ['--tiny'], { tiny: true }],
    ['asks for help', ['--help'], { help: true }],
  ]
  for (const [name, argv, expected] of good) {
    it(name, () => {
      assert.deepEqual(readOptions(argv, ids), {
        options: { ...defaults, ...expected },
        problems: [],
      })
    })
  }

  const bad: readonly [string, string[], RegExp[]][] = [
    ['an unknown option', ['--round', '3'], [/--round: no such option/, /3: no such/]],
    ['an unknown row', ['--only', 'slow'], [/--only slow: .* fast-jwt, fast-jwt-new/]],
    ['an invalid number', ['--seconds', 'x'], [/--seconds x: .* from 1 to 10/]],
    ['a number that is too large', ['--rounds', '99'], [/--rounds 99: .* from 1 to 31/]],
    [
      'all problems together',
      ['--starts=10', '--seconds=0', '--rounds=0'],
      [/--starts 10: .* from 1 to 9/, /--rounds 0/, /--seconds 0/],
    ],
  ]
  for (const [name, argv, expected] of bad) {
    it(`is refused: ${name}`, () => {
      const { problems } = readOptions(argv, ids)
      assert.equal(problems.length, expected.length)
      for (const [index, pattern] of expected.entries()) {
        assert.match(problems[index] ?? '', pattern)
      }
    })
  }

  it('is described completely by the help, and the README of the bench quotes it', async () => {
    for (const name of ['--only', '--starts', '--seconds', '--rounds', '--tiny', '--help']) {
      assert.ok(usage.includes(name), name)
    }
    const readme = await readFile(join(benchFolder, 'README.md'), 'utf8')
    assert.ok(readme.includes(`\n\`\`\`\n${usage}\n\`\`\`\n`))
  })
})
