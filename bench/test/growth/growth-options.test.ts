import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { growthUsage, readGrowthOptions } from '../../growth/growth-options.ts'
import { benchFolder } from '../../harness/programs.ts'

const ids = ['start', 'tokens']
const defaults = {
  ...{ store: 'sqlite', sizes: [1000, 100_000], only: [], seconds: 5 },
  ...{ keep: false, tiny: false, help: false },
}

describe('the command line of the growth bench', () => {
  const good: readonly [string, string[], object][] = [
    ['may be empty', [], {}],
    ['selects the database', ['--store', 'postgresql'], { store: 'postgresql' }],
    ['sorts the sizes and omits repeated ones', ['--sizes', '50,10,50'], { sizes: [10, 50] }],
    ['selects cases by their beginning', ['--only=tok'], { only: ['tok'] }],
    ['sets the length of a load', ['--seconds', '600'], { seconds: 600 }],
    [
      'has small sizes and short loads with --tiny',
      ['--tiny'],
      { tiny: true, sizes: [20, 40], seconds: 1 },
    ],
    ['keeps the results', ['--keep'], { keep: true }],
    ['asks for help', ['--help'], { help: true }],
  ]
  for (const [name, argv, expected] of good) {
    it(name, () => {
      const { options, problems } = readGrowthOptions(argv, ids)
      assert.deepEqual(
        { options, problems },
        { options: { ...defaults, ...expected }, problems: [] },
      )
    })
  }

  const bad: readonly [string, string[], RegExp][] = [
    ['another database', ['--store=mysql'], /--store mysql: expected sqlite or postgresql/],
    ['no size', ['--sizes', ''], /--sizes : expected numbers from 2 to 1000000/],
    ['a size that is too large', ['--sizes=10,1000001'], /--sizes 10,1000001: expected/],
    ['a size of 1', ['--sizes=1'], /--sizes 1: expected/],
    ['a size that is no number', ['--sizes=10,x'], /--sizes 10,x: expected/],
    ['an unknown case', ['--only=slow'], /--only slow: no case begins so; .* start, tokens/],
    ['an invalid length', ['--seconds=0'], /--seconds 0: expected a whole number from 1 to 600/],
    ['an unknown option', ['--size=3'], /--size: no such option/],
    ['an argument', ['start'], /start: no such argument/],
    ['to keep tiny results', ['--tiny', '--keep'], /--keep: the results of --tiny are not kept/],
  ]
  for (const [name, argv, expected] of bad) {
    it(`is refused: ${name}`, () => {
      const { problems } = readGrowthOptions(argv, ids)
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', expected)
    })
  }

  it('is described completely by the help, and the README of the bench quotes it', async () => {
    for (const name of Object.keys(defaults)) assert.ok(growthUsage.includes(`--${name}`), name)
    const readme = await readFile(join(benchFolder, 'README.md'), 'utf8')
    assert.ok(readme.includes(`\n\`\`\`\n${growthUsage}\n\`\`\`\n`))
  })
})
