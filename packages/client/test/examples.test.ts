import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { docstringExamples } from '../../../test/fixtures/docstring-examples.ts'
import { createCertifiedKey } from './fakes/certified-key.ts'

const packageFolder = join(import.meta.dirname, '..')

/** Runs a module with fake servers in place of the network; resolves with the number of requests. */
async function requestsOf(test: TestContext, source: string): Promise<number> {
  let requests = 0
  const answers = (input: string | URL | Request) => {
    requests += 1
    const { pathname } = new URL(String(input))
    if (pathname.endsWith('/token')) {
      return Response.json({ token_type: 'Bearer', expires_in: 3599, access_token: 't.o.k' })
    }
    return new Response('Hi', { headers: { 'content-type': 'text/plain' } })
  }
  test.mock.method(globalThis, 'fetch', async (input: string | URL | Request) => answers(input))
  // Inside the package, where its name and its dependencies resolve.
  const folder = mkdtempSync(join(packageFolder, 'test/example-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'example.ts')
  writeFileSync(file, source)
  await import(file)
  return requests
}

describe('docs/guides/client.md', () => {
  it('contains code blocks that run in order', async (test) => {
    const page = readFileSync(join(packageFolder, '../../docs/guides/client.md'), 'utf8')
    const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
    assert.equal(blocks.length, 6)
    // The token of the page needs one request. The sources for several processes and for traces
    // need one each.
    assert.equal(await requestsOf(test, blocks.join('\n')), 3 + 3)
  })
})

describe('the examples of the library', () => {
  it('run without an error', async (test) => {
    const { privateKey, certificate } = await createCertifiedKey()
    const preamble = `
      import * as client from '@greeting/client'
      import * as files from '@greeting/client/files'
      import { mcpAuth } from '@greeting/client/mcp'
      const { clientSecret, clientSecrets, clientCertificate, federatedAssertion, agentIdentity, privateKeyJwt } = client
      const { createTokenSource, createGreetingClient, fetchWithToken, isClientFailure, networkFault, createApiClient } = client
      const { clientSecretFile, federatedAssertionFile, clientCertificateFiles, rollCertificate, textOfFile, tokenCacheFile } = files
      const keyPem = ${JSON.stringify(privateKey)}
      const certificatePem = ${JSON.stringify(certificate)}
      const example = { tokens: createTokenSource({
        authority: 'https://login.example/t', clientId: 'c', scope: 's', credential: clientSecret('s'),
      }) }`
    const examples = docstringExamples(join(packageFolder, 'src'))
    assert.ok(examples.length >= 9)
    const scoped = examples.map((code) =>
      /^const tokens/m.test(code) ? `{\n${code}}` : `{\nconst { tokens } = example\n${code}}`,
    )
    assert.ok((await requestsOf(test, [preamble, ...scoped].join('\n'))) >= 3)
  })
})
