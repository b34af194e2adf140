import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rooms } from './arrows.ts'
import { files, importsOf, read, resolveOurs, sources, workspaces } from './source-tree.ts'

const roomOf = (file: string) =>
  rooms
    .filter(({ path }) => file === path || file.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]

const isTest = (file: string) => /(^|\/)(test|bench|deploy|tools)\/|\.test\.[jt]s$/.test(file)

describe('the rooms of the repository', () => {
  for (const file of sources.filter(
    (file) => !file.startsWith('bench/') && !file.startsWith('test/packages/suite/'),
  )) {
    it(`permit all imports of ${file}`, () => {
      const home = roomOf(file)
      assert.ok(home, `${file} is in no room of tools/checks/arrows.ts`)
      for (const specifier of importsOf(file)) {
        const target = resolveOurs(file, specifier)
        if (target === undefined) continue
        const room = roomOf(target)
        const allowed =
          room === home ||
          home.mayImport.includes(room?.path ?? '') ||
          ((room?.path.startsWith('test/fixtures') ?? false) && isTest(file)) ||
          // The composition of a service, and its tests, may import from every room of that service.
          (room?.path.startsWith(`${home.path}/`) ?? false) ||
          (room !== undefined && home.path.startsWith(`${room.path}/`) && isTest(file))
        assert.ok(allowed, `${file} must not import ${specifier}: ${home.reason}`)
      }
    })
  }
})

it("a package's source enters another package only through its public exports", () => {
  const packageOf = (file: string) => workspaces.find(({ path }) => file.startsWith(`${path}/`))
  assert.deepEqual(
    sources
      .filter((file) => packageOf(file) !== undefined && /\/src\//.test(file) && !isTest(file))
      .flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })))
      .filter(({ specifier }) => specifier.startsWith('.'))
      .filter(
        ({ file, specifier }) => packageOf(resolveOurs(file, specifier) ?? '') !== packageOf(file),
      ),
    [],
  )
})

it('every room in the table exists', () => {
  for (const { path } of rooms)
    assert.ok(
      files.some((file) => file.startsWith(`${path}/`)),
      path,
    )
})

describe('the files', () => {
  const lineLimit = 350
  // A table of cases grows by a row for each behaviour, and is read row by row.
  const tablesOfCases =
    /-(cases|mutants|refusal-rows|requests|table\.test|decision\.test|dialect\.test|refusals)\.ts$/
  const meaninglessNames = /(^|\/)(helpers?|utils?|common|shared|misc|core|types)(\.[a-z]+)*(\/|$)/

  for (const file of sources.filter((one) => !tablesOfCases.test(one))) {
    it(`include ${file} with at most ${lineLimit} lines`, () => {
      const lines = read(file).split('\n').length - 1
      assert.ok(lines <= lineLimit, `${lines} lines; the limit is ${lineLimit}`)
    })
  }

  it('have names with a meaning, like their folders', () => {
    assert.deepEqual(
      files.filter((file) => meaninglessNames.test(file)),
      [],
    )
  })

  it('use environment, exit and console only in a main file and the command', () => {
    const touching = sources.filter(
      (file) =>
        !isTest(file) &&
        !/(^|\/)main\.ts$|^docs\/site\/astro\.config|^cli\/|^tools\/link-node|^services\/[^/]+\/bin\//.test(
          file,
        ) &&
        /\bprocess\.(env|exit)\b|\bconsole\./.test(read(file)),
    )
    // One is a program. The caller of the other asks for the environment by the name of the function.
    assert.deepEqual(touching, [
      'examples/hono-node-test/roll-certificate.ts',
      'packages/guard/src/entra-from-environment.ts',
    ])
  })

  it('contain no hook for each test outside a describe block', () => {
    // Many files share a process: such a hook would run before every test of all of them.
    assert.deepEqual(
      sources.filter((file) => /^(beforeEach|afterEach)\(/m.test(read(file))),
      [],
    )
  })

  it('contain no test that is skipped, focused or marked as todo', () => {
    const marks = /\b(it|test|describe)\.(only|skip|todo)\b|\{ *(skip|only|todo): *true/
    assert.deepEqual(
      sources.filter(
        (file) => file !== 'tools/checks/architecture.test.ts' && marks.test(read(file)),
      ),
      [],
    )
  })
})
