import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freshFolder } from '../../fixtures/fresh-folder.ts'
import { pathWithNpm, root, run } from '../greeting-process.ts'

// A command that npm may install for: its options, its package or program, and no further word.
const command =
  /\b(?:(?:npx|bunx|pnpm dlx|yarn dlx)(?: -\S+)*|npm (?:install|i|exec|x|create)(?: -\S+(?: \/\S+)?)*) +[@.\w"'][^\s`'")<$…]*/g
const names = execFileSync('git', ['ls-files', '*.md', '*.ts', '*.yml', '*.yaml'], {
  cwd: root,
  encoding: 'utf8',
})
const texts = names
  .trim()
  .split('\n')
  .filter((name) => name !== 'CHANGELOG.md' && !/(^|\/)(test|decisions)\//.test(name))

const reference = await readFile(join(root, 'docs/reference/command.md'), 'utf8')
const commandNames = [...reference.matchAll(/^## greeting (\S+)/gm)].map(([, name]) => name)

describe('a printed command in an empty folder', () => {
  const folder = freshFolder()
  const fetched: string[] = []
  const tarballs = new Map<string, Buffer>()
  const registry = createServer(async ({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1)).replace(/\/-\/.*$/, '')
    const program = join(folder, 'foreign', encodeURIComponent(name))
    const { port } = registry.address() as AddressInfo
    const manifest = { name, version: '1.0.6', bin: { [name.replace(/^.*\//, '')]: 'run.js' } }
    await mkdir(join(program, 'package'), { recursive: true })
    await writeFile(join(program, 'package/package.json'), JSON.stringify(manifest))
    await writeFile(join(program, 'package/run.js'), '#!/usr/bin/env node\nconsole.log("foreign")')
    // Made once: the times of its files would change its hash.
    const tarball = tarballs.get(name) ?? execFileSync('tar', ['-cz', '-C', program, 'package'])
    tarballs.set(name, tarball)
    if (url.includes('/-/')) {
      fetched.push(name)
      response.end(tarball)
      return
    }
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `http://127.0.0.1:${port}/${name}/-/x.tgz`, integrity }
    const versions = { '1.0.6': { ...manifest, dist } }
    response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.6' }, versions }))
  })

  before(async () => {
    await once(registry.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => {
    registry.close()
  })

  /** What was fetched, and the names in the folder afterwards. */
  async function pasted(line: string) {
    fetched.length = 0
    const cwd = freshFolder()
    const { port } = registry.address() as AddressInfo
    const settings = {
      registry: `http://127.0.0.1:${port}`,
      cache: join(folder, 'cache'),
      userconfig: join(folder, 'npmrc'),
      globalconfig: join(folder, 'global-npmrc'),
      prefix: join(folder, 'prefix'),
      fetch_retries: '0',
      audit: 'false',
      update_notifier: 'false',
    }
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]),
    )
    const { out, err } = await run('sh', ['-c', line.replace(/--prefix \S+/, '')], {
      cwd,
      env: { ...env, HOME: folder, PATH: pathOutside },
    })
    return { fetched: [...fetched], files: await readdir(cwd), out, err }
  }
  // The clone's own programs would hide what npx does elsewhere.
  const pathOutside = pathWithNpm
    .split(':')
    .filter((entry) => !entry.startsWith(root))
    .join(':')

  it('would run a foreign package without --no-install, which this test detects', async () => {
    const { fetched, out, err } = await pasted('npx greeting hi')
    assert.deepEqual(fetched, ['greeting'], err)
    assert.equal(out, 'foreign\n')
  })

  it('is never only greeting in a message from a package, a service or the command', async () => {
    const bare = new RegExp(
      `(?<!npx --no-install |\\\\\`|Command\\(')\\bgreeting (?:${commandNames.join('|')})\\b.*`,
      'g',
    )
    const found: string[] = []
    for (const name of texts.filter((one) => /^(cli|packages|services)\/.*src\/.*\.ts$/.test(one)))
      for (const line of (await readFile(join(root, name), 'utf8')).split('\n'))
        if (!/^\s*(\*|\/\*|\/\/)/.test(line))
          for (const [text] of line.matchAll(bare)) found.push(`${name}: ${text}`)
    assert.deepEqual(found, [])
  })

  it('neither downloads nor installs a package with a name of this project', async (t) => {
    const forms = new Set<string>()
    for (const name of texts)
      for (const [form] of (await readFile(join(root, name), 'utf8')).matchAll(command))
        forms.add(form.replace(/[.,;:]+$/, ''))
    const source = await readFile(join(root, 'cli/src/system/services.ts'), 'utf8')
    const [, inCode = ''] = /greetingCommand = '(.+)'/.exec(source) ?? []
    assert.ok(forms.has(inCode), `${inCode} is none of these:\n${[...forms].join('\n')}`)
    for (const form of [...forms].filter((one) => /greeting/.test(one)))
      await t.test(form, async () => {
        const { fetched, files } = await pasted(form)
        assert.deepEqual(fetched, [])
        assert.deepEqual(files, [])
      })
  })
})
