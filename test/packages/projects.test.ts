import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { peerFolder, run, runtimes } from './program.ts'

const guardOptions = `{
  tenantId: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
  apiApplicationId: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
  roles: ['CallHiApiRole'],
}`

const testOfUser = `import { createGuard, entra } from '@greeting/guard'
test('a request without a token is 401', async () => {
  const guard = createGuard(entra(${guardOptions}))
  const decision = await guard.decide({ authorization: undefined, target: '/' }, 'CallHiApiRole')
  expect(decision.status).toBe(401)
})
`

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/testing.md'), 'utf8')

const commonJsTest = `const { anyCaller, createGuard, entra, GuardOptionsError } = require('@greeting/guard')
const { guardedRouter } = require('@greeting/guard/express')
const { guardedRoutes } = require('@greeting/guard/fastify')
const { guardedApp } = require('@greeting/guard/hono')
const { guardedListener } = require('@greeting/guard/node')
const { guardedFetch } = require('@greeting/guard/web')
const { parseStrictJson } = require('@greeting/guard/strict-json')
const { clientSecret, ClientError, createTokenSource } = require('@greeting/client')
const { clientSecretFile } = require('@greeting/client/files')
const guard = createGuard(entra(${guardOptions}))
const routes = { 'GET /b': { role: anyCaller, handler: () => new Response('b') } }
test('a request without a token is 401', async () => {
  const response = await guardedFetch(guard, '/a', routes)(new Request('https://a.example/a/b'))
  expect(response.status).toBe(401)
})
test('each adapter loads, with one symbol', () => {
  for (const adapt of [guardedRouter, guardedRoutes, guardedApp, guardedListener])
    expect(adapt(guard, '/a', routes)).toBeInstanceOf(Object)
  expect(parseStrictJson(new TextEncoder().encode('{}'))).toEqual({})
})
test('wrong options are an error of the package', () => {
  expect(() => entra()).toThrow(GuardOptionsError)
})
test('a client says so when no program listens', async () => {
  const fetch = () => Promise.reject(new TypeError('fetch failed'))
  const options = { authority: 'https://as.example/t', clientId: 'a', credential: clientSecret('b'), scope: 'c', deadlineMs: 1 }
  await expect(createTokenSource({ ...options, runtime: { fetch } }).token()).rejects.toThrow(ClientError)
  await expect(createTokenSource({ ...options, credential: clientSecretFile('/none') }).token()).rejects.toMatchObject({ code: 'credential_unreadable' })
})
`

describe('the guard and the client in a project', () => {
  // Hono comes with the test kit.
  const peers = {
    vitest: 'vitest',
    jest: 'jest',
    express: 'express',
    fastify: 'fastify',
    hono: 'hono',
  }
  const consumer = new Consumer().install('guard').install('client').install('testing').add(peers)
  after(() => consumer[Symbol.dispose]())

  const nodes = ['Node 22', 'Node 24', 'Node 26'] as const

  it('with CommonJS are the same modules for require() and import on each Node version', () => {
    const file = consumer.write(
      'same.cjs',
      `const [guard, client] = [require('@greeting/guard'), require('@greeting/client')]
      Promise.all([import('@greeting/guard'), import('@greeting/client')]).then(([g, c]) =>
        console.log(guard.GuardOptionsError === g.GuardOptionsError, client.ClientError === c.ClientError))`,
    )
    for (const name of nodes) {
      const { stdout, stderr } = run(runtimes[name], [file], consumer.folder)
      assert.equal(stdout.trim(), 'true true', `${name}: ${stderr}`)
    }
  })

  // jest with its defaults, which are those of most apps.
  for (const version of ['29', '30']) {
    it(`with CommonJS are tested with jest ${version}, without a flag`, () => {
      const { status, stderr } = runJest(version, 'commonjs', commonJsTest)
      assert.equal(status, 0, stderr)
      assert.match(stderr, /4 passed/)
    })
  }

  for (const version of ['29', '30']) {
    it(`with CommonJS get tokens from the kit with jest ${version}, as the guide shows`, () => {
      const folder = `kit-${version}`
      for (const [, name = '', code = ''] of guide.matchAll(/```js (\S+)\n(.*?)```/gs))
        consumer.write(`${folder}/${name}`, code)
      const files = { globalSetup: './start-entra.mjs', globalTeardown: './stop-entra.mjs' }
      consumer.write(`${folder}/package.json`, JSON.stringify({ private: true, jest: files }))
      const { status, stderr } = jest(version, folder)
      assert.equal(status, 0, stderr)
      assert.match(stderr, /3 passed/)
    })
  }

  function jest(version: string, folder: string) {
    const program = version === '29' ? 'jest-29' : 'jest'
    const args = [join(peerFolder, program, 'bin/jest.js')]
    return run(process.execPath, args, join(consumer.folder, folder))
  }

  function runJest(version: string, folder: string, test: string) {
    consumer.write(`${folder}/package.json`, '{"private":true}')
    consumer.write(`${folder}/app.test.js`, test)
    return jest(version, folder)
  }

  it('with CommonJS are loaded by require() on each Node version', () => {
    const file = consumer.write(
      'consumer.cjs',
      `const { createGuard, entra } = require('@greeting/guard')
      const { guardedFetch } = require('@greeting/guard/web')
      const guard = createGuard(entra(${guardOptions}))
      Promise.resolve(guardedFetch(guard, '/api', {})(new Request('https://a.example/api/b'))).then((r) => console.log(r.status))`,
    )
    for (const name of nodes) {
      const { stdout, stderr } = run(runtimes[name], [file], consumer.folder)
      assert.equal(stdout.trim(), '401', `${name}: ${stderr}`)
    }
  })

  it('are tested with vitest', () => {
    consumer.write('vitest/guard.test.js', `import { expect, test } from 'vitest'\n${testOfUser}`)
    const args = [join(peerFolder, 'vitest/vitest.mjs'), 'run', '--dir', 'vitest']
    const { status, stdout, stderr } = run(process.execPath, args, consumer.folder, { CI: 'true' })
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /1 passed/)
  })

  it('are tested with jest as ES modules', () => {
    consumer.write('jest/guard.test.js', testOfUser)
    const args = ['--experimental-vm-modules', join(peerFolder, 'jest/bin/jest.js')]
    const { status, stdout, stderr } = run(
      process.execPath,
      [...args, '--rootDir', 'jest', '--testEnvironment', 'node'],
      consumer.folder,
    )
    assert.equal(status, 0, stdout + stderr)
    assert.match(stderr, /1 passed/)
  })
})
