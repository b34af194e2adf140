import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { repositoryFolder } from '../machine.ts'
import { readOptions, usage } from '../options.ts'

const read = (file: string) => readFileSync(join(repositoryFolder, file), 'utf8')

it('the README quotes the usage', () => {
  assert.ok(read('bench/README.md').includes(`\`\`\`\n${usage}\n\`\`\`\n`))
})

it('the benchmark refuses a number out of its bounds, an unknown option and an unknown argument', () => {
  for (const args of [['--rounds', '0'], ['--sizes', '1000,7'], ['--fast'], ['peers']])
    assert.throws(() => readOptions(args), TypeError, args.join(' '))
})
