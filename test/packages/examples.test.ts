import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { CiFolder, ciWorkflows } from '../system/unmodified/ci-job.ts'
import { Consumer } from './consumer.ts'
import { peerFolder, run } from './program.ts'
import { tarballOf } from './tarball.ts'

const root = join(import.meta.dirname, '../..')
const examples = join(root, 'examples')

const rows = [
  {
    folder: 'hono-node-test',
    command: ['--test', '--test-reporter=tap'],
    passed: /^# pass 7$/m,
  },
  {
    folder: 'mcp-agent',
    command: ['--test', '--test-reporter=tap'],
    passed: /^# pass 6$/m,
  },
  {
    folder: 'express-vitest',
    command: [join(peerFolder, 'vitest/vitest.mjs'), 'run', '--dir', '.'],
    passed: /Tests +6 passed/,
  },
  {
    folder: 'fastify-jest',
    command: [
      '--experimental-vm-modules',
      join(peerFolder, 'jest/bin/jest.js'),
      '--testEnvironment=node',
    ],
    passed: /Tests: +4 passed/,
  },
]

describe('the tests of the example', () => {
  const types = ['@types/express', '@types/node']
  const mcp = ['@modelcontextprotocol/client', '@modelcontextprotocol/server']
  const servers = ['express', 'fastify', 'hono', '@hono/node-server']
  const packages = ['vitest', '@jest/globals'].concat(servers, mcp, types)
  const consumer = new Consumer()
    .install('client')
    .install('guard')
    .install('testing')
    .add(Object.fromEntries(packages.map((name) => [name, name])))
  after(() => consumer[Symbol.dispose]())

  for (const { folder, command, passed } of rows) {
    it(`${folder} pass with the packed packages`, () => {
      consumer.copy(join(examples, folder), folder)
      const { status, stdout, stderr } = run(
        process.execPath,
        command,
        join(consumer.folder, folder),
        { CI: 'true' },
      )
      assert.equal(status, 0, stdout + stderr)
      assert.match(stripVTControlCharacters(stdout + stderr), passed)
    })
  }

  it('express-vitest compile with the declarations in the packed packages', () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = run(
      process.execPath,
      [compiler, '-p', 'express-vitest'],
      consumer.folder,
    )
    assert.equal(status, 0, stdout)
  })
})

describe('the CI job of the Node example', () => {
  for (const workflow of ciWorkflows)
    it(`in ${workflow} passes with the packed packages`, async () => {
      using consumer = new Consumer()
      await using folder = await CiFolder.copyTo(join(consumer.folder, 'ci'), {
        GREETING_PACKAGE: tarballOf('identity-provider'),
        GUARD_PACKAGE: tarballOf('guard'),
      })
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      let output = ''
      for (const shell of await folder.shellsOf(workflow, 'node'))
        output += await folder.run(shell, env)
      assert.match(stripVTControlCharacters(output), /^\S+ pass 4$/m)
    })
})
