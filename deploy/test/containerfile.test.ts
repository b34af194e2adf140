import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, it } from 'node:test'
import { environmentOf } from '../image/root-file-system.ts'
import { targetOf, targets } from '../image/targets.ts'

const root = join(import.meta.dirname, '../..')
const path = join(root, 'deploy/Containerfile')
const text = readFileSync(path, 'utf8')

describe('the Containerfile', () => {
  it('pins both base images by digest', () => {
    const bases = [...text.matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, name]) => name)
    assert.equal(bases.length, 2)
    for (const base of bases) assert.match(base ?? '', /@sha256:[0-9a-f]{64}$/)
  })

  it('names a numeric user, so that a cluster can verify that it is not root', () => {
    assert.match(text, /^USER [1-9]\d*:[1-9]\d*$/m)
  })

  it('lists the packages with the same Node version that runs them', () => {
    assert.match(text, /^COPY --from=base \/nodejs\/bin\/node \/usr\/local\/bin\/runtime-node$/m)
    const writes = text.match(/\S+ deploy\/image\/main\.ts/g) ?? []
    assert.deepEqual(
      writes,
      [...targets, 'greeting'].map(() => 'runtime-node deploy/image/main.ts'),
    )
  })

  it('starts the program without a shell', () => {
    for (const [line] of text.matchAll(/^(ENTRYPOINT|CMD|\s+CMD) .*$/gm)) assert.match(line, / \["/)
  })

  for (const { name, path: folder, port } of targets) {
    it(`has the target ${name}, with its program and its port`, () => {
      const stage = text.split(/^FROM /m).find((one) => one.startsWith(`runtime AS ${name}\n`))
      assert.ok(stage)
      const copied = [...stage.matchAll(/^COPY --from=build \/programs\/(\S+) \/app$/gm)]
      assert.deepEqual(
        copied.map(([, program]) => program),
        [name],
      )
      assert.match(stage, new RegExp(`^EXPOSE ${port} 9464$`, 'm'))
      assert.equal(environmentOf(path, name).PORT, String(port))
      assert.ok(readFileSync(join(root, folder, 'src/main.ts'), 'utf8'))
    })
  }

  it('sets only documented settings', () => {
    const page = (name: string) => readFileSync(join(root, `docs/reference/${name}.md`), 'utf8')
    const known = targets.map(({ name }) => page(name === 'api' ? 'greeting-api' : name))
    for (const [index, { name }] of targets.entries()) {
      const { NODE_ENV, METRICS_HOST, PATH, MALLOC_TRIM_THRESHOLD_, ...settings } = environmentOf(
        path,
        name,
      )
      if (targets[index]?.command) assert.match(PATH ?? '', /^\/app\/bin:\/nodejs\/bin:/)
      assert.equal(NODE_ENV, 'production')
      assert.equal(MALLOC_TRIM_THRESHOLD_, '131072')
      for (const setting of Object.keys(settings))
        assert.ok(known[index]?.includes(`| \`${setting}\` |`), setting)
    }
  })
})

const linesOf = (name: string) =>
  readFileSync(join(root, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

describe('the build context', () => {
  const patterns = linesOf('deploy/Containerfile.dockerignore')
  for (const line of [...linesOf('.gitignore'), 'services/api/.env.local']) {
    const path = line.replace(/\/$/, '').replace('*', 'x')
    // In .gitignore, a name without a folder is ignored in every folder.
    for (const one of path.includes('/') ? [path] : [path, `deploy/${path}`])
      it(`excludes ${one}, which git does not track`, () => {
        assert.ok(patterns.some((pattern) => matchesGlob(one, pattern)))
      })
  }
})

describe('the build targets', () => {
  it('are found by name, and an unknown name causes an error with all names', () => {
    assert.equal(targetOf('api').port, 3000)
    assert.throws(
      () => targetOf('proxy'),
      /must be identity-provider or api or authorizer or greeting, not proxy/,
    )
  })
})
