import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Consumer } from './consumer.ts'
import { peerFolder, run } from './program.ts'
import { Editor } from './quick-info.ts'

const root = join(import.meta.dirname, '../..')
const compilers = {
  '5.9': join(peerFolder, 'typescript-5/bin/tsc'),
  '6.0': join(peerFolder, 'typescript-6/bin/tsc'),
  '7': join(root, 'node_modules/typescript/bin/tsc'),
}
/** TypeScript 7 has no node10, and TypeScript 6 has it with this option only. */
const resolutions = [
  { module: 'commonjs' },
  { module: 'commonjs', moduleResolution: 'node10', until: '6.0' },
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'preserve', moduleResolution: 'bundler' },
]

const program = `
import { clientSecret, createTokenSource } from '@greeting/client'
import { clientSecretFile } from '@greeting/client/files'
import { mcpAuth } from '@greeting/client/mcp'
import { createGuard, entra, type Decision, GuardOptionsError } from '@greeting/guard'
import { guardedRouter } from '@greeting/guard/express'
import { guardedRoutes } from '@greeting/guard/fastify'
import { guardedApp } from '@greeting/guard/hono'
import { mcpGuard } from '@greeting/guard/mcp'
import { guardedListener } from '@greeting/guard/node'
import { parseStrictJson } from '@greeting/guard/strict-json'
import { guardedFetch } from '@greeting/guard/web'
import { type IdentityProvider, startIdentityProvider } from '@greeting/identity-provider'
import { endpoints, startLabProvider } from '@greeting/identity-provider/lab'
import { type Entra, startEntra } from '@greeting/testing'
import { useEntra as useWithJest } from '@greeting/testing/jest'
import { useEntra } from '@greeting/testing/node-test'
import { useEntra as useWithVitest } from '@greeting/testing/vitest'

const guard = createGuard(entra({ tenantId: 'a', apiApplicationId: 'b', roles: ['Read', 'Write'] }))
const decision: Decision | Promise<Decision> = guard.decide({ authorization: 'a', target: '/' }, 'Read')
guardedRouter(guard, '/a', { 'GET /b': { role: 'Read', handler: (_, response) => response.locals.caller.roles } })
guardedRoutes(guard, '/a', { 'GET /b': { role: 'Read', handler: (request) => request.caller.tenantId } })
guardedApp(guard, '/a', { 'GET /b': { role: 'Write', handler: (c) => c.text('b') } })
guardedListener(guard, '/a', { 'GET /b': { role: 'Read', handler: (_, response) => response.end() } })
// @ts-expect-error: the role is misspelt
guardedFetch(guard, '/a', { 'GET /b': { role: 'Reed', handler: () => new Response() } })
const tokens = createTokenSource({ authority: 'a', clientId: 'b', credential: clientSecret('c'), scope: 'd' })
const token: Promise<string> = tokens.token()
const provider: Promise<IdentityProvider> = startIdentityProvider({ dataDir: 'a', port: 0 })
// @ts-expect-error: the option is misspelt
startIdentityProvider({ dataDirectory: 'a' })
const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const
const kit = startEntra({ registrations })
kit.then((one: Entra<any, any>) => one.client('Payroll job').token())
// @ts-expect-error: the client is misspelt
kit.then((one) => one.client('Payrol job').token())
const hooks = [useEntra, useWithJest, useWithVitest].map((use) => use({ registrations: 'file.json' })().url)
export const started: unknown = [provider, hooks, endpoints, startLabProvider]
export const all: unknown = [decision, token, clientSecretFile, mcpAuth, mcpGuard, parseStrictJson, GuardOptionsError]
`

const commonJsProgram = `
import { ClientError, createTokenSource } from '@greeting/client'
import { clientSecretFile } from '@greeting/client/files'
import { anyCaller, createGuard, entra, GuardOptionsError } from '@greeting/guard'
import { guardedRouter } from '@greeting/guard/express'
import { guardedFetch } from '@greeting/guard/web'
const guard = createGuard(entra({ tenantId: 'a', apiApplicationId: 'b', roles: ['Read'] }))
guardedRouter(guard, '/a', { 'GET /b': { role: anyCaller, handler: (_, response) => response.end() } })
// @ts-expect-error: the role is misspelt
guardedFetch(guard, '/a', { 'GET /b': { role: 'Reed', handler: () => new Response() } })
export const all: unknown = [ClientError, createTokenSource, clientSecretFile, GuardOptionsError]
`

describe('the declarations', () => {
  const consumer = new Consumer()
    .install('guard')
    .install('client')
    .install('testing')
    .install('identity-provider')
    // Hono comes with the test kit.
    .add({ express: 'express', fastify: 'fastify' })
    .add({ '@types/express': '@types/express', '@types/node': '@types/node' })
  consumer.write('consumer.ts', program)
  consumer.write('consumer.cts', commonJsProgram)
  after(() => consumer[Symbol.dispose]())

  for (const [version, compiler] of Object.entries(compilers)) {
    for (const { until, ...resolution } of resolutions) {
      if (until !== undefined && version > until) continue
      const { module, moduleResolution } = resolution
      it(`compile with TypeScript ${version}, module ${module} and moduleResolution ${moduleResolution ?? 'not set'}`, () => {
        const config = `tsconfig.${version}.${moduleResolution}.json`
        consumer.write(
          config,
          JSON.stringify({
            compilerOptions: {
              ...resolution,
              ...(until === version && { ignoreDeprecations: version }),
              target: 'es2023',
              lib: ['es2023', 'dom', 'dom.iterable'],
              types: ['node'],
              strict: true,
              exactOptionalPropertyTypes: true,
              noEmit: true,
              skipLibCheck: true,
            },
            files: ['consumer.ts', 'consumer.cts'],
          }),
        )
        const { status, stdout } = run(process.execPath, [compiler, '-p', config], consumer.folder)
        assert.equal(status, 0, stdout)
      })
    }
  }

  const modules: readonly [specifier: string, minNames: number][] = [
    ['@greeting/guard', 25],
    ['@greeting/guard/express', 2],
    ['@greeting/guard/fastify', 2],
    ['@greeting/guard/hono', 2],
    ['@greeting/guard/node', 2],
    ['@greeting/guard/web', 2],
    ['@greeting/guard/strict-json', 2],
    ['@greeting/client', 25],
    ['@greeting/client/files', 2],
    ['@greeting/client/mcp', 4],
    ['@greeting/testing', 5],
    ['@greeting/testing/node-test', 1],
    ['@greeting/testing/vitest', 1],
    ['@greeting/testing/jest', 1],
  ]
  const file = join(consumer.folder, 'open.ts')
  const editor = new Editor(file, consumer.folder)
  const undocumented = (prefix: string, names: readonly string[]) =>
    names.filter((name) => editor.documentationOf(prefix + name).trim() === '')

  for (const [specifier, minNames] of modules) {
    it(`show an editor a text for each export of ${specifier}`, () => {
      const prefix = `import * as one from '${specifier}'; export type Open = one.`
      const values = editor.namesAfter(prefix.replace('export type Open =', ''))
      const types = editor.namesAfter(prefix).filter((name) => !values.includes(name))
      assert.ok(values.length + types.length >= minNames, `${values}, ${types}`)
      assert.deepEqual(undocumented(prefix, types), [])
      assert.deepEqual(undocumented(prefix.replace('export type Open =', ''), values), [])
    })
  }

  const optionTypes: readonly [specifier: string, type: string, minNames: number][] = [
    ['@greeting/guard', 'GuardOptions', 11],
    ['@greeting/guard', 'EntraOptions', 16],
    ['@greeting/guard', 'EntraFromEnvironmentOptions', 17],
    ['@greeting/guard', 'IssuerOptions', 7],
    ['@greeting/guard', 'IssuerClaims', 2],
    ['@greeting/guard', 'KeySetOptions', 4],
    ['@greeting/guard', 'Runtime', 5],
    ['@greeting/guard', 'Guard', 8],
    ['@greeting/guard', 'RequestCredentials', 3],
    ['@greeting/guard', 'ProtectedResource', 3],
    ['@greeting/client', 'TokenSourceOptions', 12],
    ['@greeting/client', 'TokenOptions', 1],
    ['@greeting/client', 'FetchWithTokenOptions', 5],
    ['@greeting/client', 'GreetingClientOptions', 5],
    ['@greeting/client', 'ClientCertificateOptions', 2],
    ['@greeting/client', 'Runtime', 7],
    ['@greeting/testing', 'EntraOptions<any, any>', 40],
    ['@greeting/identity-provider', 'IdentityProviderOptions', 43],
    ['@greeting/identity-provider/lab', 'LabProviderOptions', 41],
  ]
  for (const [specifier, type, minNames] of optionTypes) {
    it(`show an editor a text for each member of ${type} in ${specifier}`, () => {
      const prefix = `import type * as one from '${specifier}'; declare const open: one.${type}; open.`
      const names = editor.namesAfter(prefix)
      assert.ok(names.length >= minNames, names.join())
      assert.deepEqual(undocumented(prefix, names), [])
    })
  }

  it('show an editor the unit, bounds and default of an option', () => {
    const prefix = `import { entra } from '@greeting/guard'\nentra({ tenantId: '', apiApplicationId: '', roles: ['A'], `
    const text = editor.documentationOf(`${prefix}clockToleranceSeconds`)
    assert.match(text, /in seconds: 0 to 60, by default 60/)
  })
})
