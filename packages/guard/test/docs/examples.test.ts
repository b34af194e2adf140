import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { docstringExamples } from '../../../../test/fixtures/docstring-examples.ts'
import { TokenFactory } from '../token-factory.ts'

const guard = join(import.meta.dirname, '../..')
const examples = docstringExamples(join(guard, 'src'))
const key = new TokenFactory('key-1').publicKey.export({ type: 'spki', format: 'pem' })

const preamble = `
  import { createPublicKey } from 'node:crypto'
  import express from 'express'
  import fastify from 'fastify'
  import { Hono } from 'hono'
  import { createGuard, describeResource, entra, entraFromEnvironment, rsaKeyFault, withHeader } from '@greeting/guard'
  import * as onExpress from '@greeting/guard/express'
  import * as onFastify from '@greeting/guard/fastify'
  import * as onHono from '@greeting/guard/hono'
  import * as onMcp from '@greeting/guard/mcp'
  import * as onNode from '@greeting/guard/node'
  import { isJsonObject, parseStrictJson } from '@greeting/guard/strict-json'
  import * as onWeb from '@greeting/guard/web'
  globalThis.fetch = async () => new Response('', { status: 503 })
  const tenantId = '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e'
  const apiApplicationId = '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001'
  const pem = ${JSON.stringify(key)}
  class X509Certificate { publicKey = createPublicKey(pem) }
  const authorization = 'Bearer a.b.c'
  const c = { req: { raw: new Request('https://api.example/hi') }, env: {} }
  const response = { writeHead: () => ({ end: () => {} }) }
  const createServer = () => ({ listen: () => {} })
  const example = createGuard(entra({ tenantId, apiApplicationId, roles: ['CallHiApiRole'] }))
  const decision = example.refuse('no_credentials')
`

/** The adapter of an example, by a word of its framework. The first row that fits decides. */
const adapters: readonly [word: RegExp, adapter: string][] = [
  [/mcp/, 'onMcp'],
  [/Fastify|app\.register|app\.addHook|onRequest/, 'onFastify'],
  [/Hono|\bc\b/, 'onHono'],
  [/createServer|sendRefusal/, 'onNode'],
  [/app\./, 'onExpress'],
  [/fetch|respond/, 'onWeb'],
]
const exported =
  'requireRole, requireCaller, assertGuarded, guardedRouter, guardedRoutes, guardedScope, guardedApp, ' +
  'readRequestCredentials, guardedListener, sendRefusal, guardedFetch, respond, mcpGuard'

/** An example creates a guard of its own, or uses this one and the app of its framework. */
const scoped = (code: string) => {
  const adapter = adapters.find(([word]) => word.test(code))?.[1] ?? '{}'
  const app = { onExpress: 'express()', onFastify: 'fastify()' }[adapter]
  return [
    '{',
    ...(/const guard\b/.test(code) ? [] : ['const guard = example']),
    ...(app === undefined || /const app\b/.test(code) ? [] : [`const app = ${app}`]),
    `const { ${exported} } = ${adapter}`,
    `${code}}`,
  ].join('\n')
}

describe('the examples of the guard', () => {
  it('run without an error', async (t) => {
    assert.ok(examples.length >= 27, `${examples.length}`)
    t.mock.method(globalThis, 'fetch')
    // Inside the package, where its name and its dependencies resolve.
    const folder = mkdtempSync(join(guard, 'test/example-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'example.ts')
    writeFileSync(file, [preamble, ...examples.map(scoped)].join('\n'))
    await import(file)
  })

  it('produce the values in their comments', async () => {
    const { isJsonObject, parseStrictJson } = await import('../../src/encoding/strict-json.ts')
    assert.equal(parseStrictJson(new TextEncoder().encode('{"aud":"a","aud":"b"}')), undefined)
    assert.equal(isJsonObject(['a']), false)
  })
})
