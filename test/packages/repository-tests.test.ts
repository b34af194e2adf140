import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { run } from './program.ts'

const root = join(import.meta.dirname, '../..')

/** The subpath of a package that exports what a source file has. Without one, the import fails. */
function subpathOf(name: string, source: string): string {
  const [, adapter] = /^src\/adapters\/([a-z]+)\.ts$/.exec(source) ?? []
  const subpath = source.startsWith('src/files/') ? 'files' : adapter
  return ['@greeting', name, subpath].filter((part) => part !== undefined).join('/')
}

/** Copies the tests of a package, so that they import the installed package. */
function copyTests(consumer: Consumer, name: string): void {
  const folder = join(root, 'packages', name, 'test')
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const text = readFileSync(join(folder, file), 'utf8').replace(
      /'(?:\.\.\/)+(src\/[^']+)'/g,
      (_, source) => `'${subpathOf(name, source)}'`,
    )
    consumer.write(`packages/${name}/test/${file}`, text)
  }
  consumer.copy(join(root, 'test/fixtures'), 'test/fixtures')
}

const suites = [
  {
    title: 'the guard with Express 5, Fastify 5, Hono 4, node:http and Web requests',
    name: 'guard',
    peers: {
      express: 'express',
      fastify: 'fastify',
      hono: 'hono',
      '@hono/node-server': '@hono/node-server',
    },
    files: [
      'adapters/adapters.test.ts',
      'adapters/assert-guarded.test.ts',
      'adapters/assert-guarded-express.test.ts',
      'adapters/below-the-prefix.test.ts',
      'adapters/framework-options.test.ts',
      'adapters/hostile-paths.system.test.ts',
      'adapters/middleware.test.ts',
      'adapters/moved-express-app.test.ts',
      'guard.test.ts',
    ],
  },
  {
    title: 'the guard with Express 4',
    name: 'guard',
    peers: {
      express: 'express-4',
      fastify: 'fastify',
      hono: 'hono',
      '@hono/node-server': '@hono/node-server',
    },
    files: [
      'adapters/adapters.test.ts',
      'adapters/assert-guarded-express.test.ts',
      'adapters/framework-options.test.ts',
      'adapters/hostile-paths.system.test.ts',
      'adapters/middleware.test.ts',
      'adapters/moved-express-app.test.ts',
    ],
  },
  {
    title: 'the client',
    name: 'client',
    peers: { jose: 'jose' },
    files: ['call/fetch-with-token.test.ts', 'greeting-client.test.ts', 'hooks.test.ts'],
  },
]

describe('the installed package passes the tests in the repository', () => {
  for (const { title, name, peers, files } of suites) {
    it(title, () => {
      using consumer = new Consumer().install(name).add(peers)
      copyTests(consumer, name)
      const tests = files.map((file) => join(consumer.folder, 'packages', name, 'test', file))
      const { status, stdout } = run(
        process.execPath,
        ['--test', '--test-isolation=none', '--test-reporter=tap', ...tests],
        consumer.folder,
      )
      assert.equal(status, 0, stdout)
      const count = Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
      assert.ok(count >= 10, `${count} tests ran`)
    })
  }
})
