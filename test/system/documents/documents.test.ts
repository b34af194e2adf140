import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { root, run } from '../greeting-process.ts'

const documents = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The anchor of a heading on GitHub and similar hosts of Markdown. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (file: string) =>
  read(file)
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => anchorOf(line.replace(/^#+ /, '')))

const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '')

describe('the documents', () => {
  for (const document of documents) {
    it(`contain no broken link in ${document}`, () => {
      for (const [, target = ''] of withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? document : join(dirname(document), path)
        assert.ok(existsSync(join(root, file)), `no file for ${target}`)
        if (anchor) assert.ok(anchorsOf(file).includes(anchor), `no heading for ${target}`)
      }
    })
  }

  it('contain every page and section to which a message in the code refers', () => {
    const sources = execFileSync('git', ['grep', '-h', 'docs/.*[.]md', '*/src/*.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
    const named = [...sources.matchAll(/[ '](docs\/[a-z/-]+\.md)(?:#([a-z0-9-]+))?/g)]
    assert.ok(named.some(([, , anchor]) => anchor))
    for (const [target, file = '', anchor] of named) {
      assert.ok(existsSync(join(root, file)), `no file for ${target}`)
      if (anchor) assert.ok(anchorsOf(file).includes(anchor), `no heading for ${target}`)
    }
  })

  it('are all reachable from the index', () => {
    const reachable = new Set<string>()
    const visit = (file: string) => {
      if (reachable.has(file) || !existsSync(join(root, file))) return
      reachable.add(file)
      for (const [, target = ''] of withoutCode(read(file)).matchAll(/\]\(([^)#\s]+\.md)/g)) {
        if (!/^[a-z]+:/.test(target)) visit(join(dirname(file), target))
      }
    }
    visit('README.md')
    assert.deepEqual(
      documents.filter((file) => file.startsWith('docs/') && !reachable.has(file)),
      [],
    )
  })

  const who = read('README.md').split('\n').slice(2, 5)
  const firstTexts: readonly (readonly [
    of: string,
    text: () => string | Promise<string>,
    lines: number,
  ])[] = [
    ['docs/README.md', () => read('docs/README.md'), 2],
    ['package.json', () => JSON.parse(read('package.json')).description, 2],
    ['greeting --help', async () => (await run('greeting', ['--help'])).out, 3],
  ]
  for (const [of, text, lines] of firstTexts)
    it(`start ${of} with the same sentences as README.md`, async () => {
      const said = await text()
      const flat = said.replace(/\s+/g, ' ')
      assert.ok(flat.includes(who.slice(0, lines).join(' ')), said)
    })

  it('name only npm scripts that exist', () => {
    const named = /\bnpm run ([a-z-]+(?::[a-z-]+)*)(?: -w ([\w/-]+))?/g
    for (const document of documents) {
      for (const [, name = '', workspace = '.'] of read(document).matchAll(named)) {
        const { scripts } = JSON.parse(read(join(workspace, 'package.json'))) as {
          scripts: Record<string, string>
        }
        assert.ok(name in scripts, `${document} names npm run ${name} in ${workspace}`)
      }
    }
  })
})
