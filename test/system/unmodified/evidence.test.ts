import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { root } from '../greeting-process.ts'
import { Program } from './program.ts'

const parent = join(root, 'test/system/unmodified')
const page = readFileSync(join(root, 'docs/guides/works-with.md'), 'utf8')
const rows = Array.from(
  page.matchAll(/^\| \[.+?\]\(\.\.\/\.\.\/test\/system\/unmodified\/(.+?)\) \| (.+?) \|/gm),
  ([, name = '', versions = '']) => ({ name, versions: versions.split(', ') }),
)

/** The files of a program that name its versions. */
const pins = ['requirements.txt', 'go.mod', 'pom.xml', 'orders.csproj', 'run.sh', 'README.md']

describe('the page about unmodified programs', () => {
  it('lists each program', () => {
    const names = Program.allOf(parent).map(({ name }) => name)
    assert.deepEqual(rows.map(({ name }) => name).sort(), names)
  })

  for (const { name, versions } of rows)
    it(`shows the pinned versions of ${name}`, () => {
      const folders = [join(parent, name), join(root, 'examples/ci', name.replace('ci-', ''))]
      const text = folders
        .flatMap((folder) => pins.map((file) => join(folder, file)))
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n')
      for (const version of versions) {
        const [product = '', number = ''] = version.split(' ')
        assert.ok(
          text.split('\n').some((row) => row.includes(product) && row.includes(number)),
          version,
        )
      }
    })

  it('shows the transcript of Azure CLI', () => {
    const transcript = readFileSync(join(parent, 'azure-cli/expected.txt'), 'utf8').trim()
    assert.ok(page.includes(`\`\`\`text\n${transcript}\n\`\`\``))
  })
})
