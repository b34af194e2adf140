import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { publishedPaths } from '../../tools/build/packages.ts'
import { Consumer } from './consumer.ts'
import { npm, peerFolder, run, runtimes } from './program.ts'
import { tarballOf } from './tarball.ts'
import { workerFlags, writeWorker } from './worker.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'packages/guard/README.md',
  'packages/client/README.md',
  'packages/testing/README.md',
  'docs/guides/identity-provider.md',
  'docs/guides/installing.md',
  'docs/guides/testing.md',
]
const snippets = new Map(
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/```ts (\S+)\n(.*?)```/gs)].map(
      ([, name = '', code = '']) => [name, code],
    ),
  ),
)

/** What the page shows only once. */
const preambles: Readonly<Record<string, string>> = {
  'fault.test.ts': `import { startEntra } from '@greeting/testing'
await using entra = await startEntra()
`,
}

/** A snippet with the identity provider in its own process, more code, and what it prints. */
const providers: readonly (readonly [name: string, more: string, output: RegExp])[] = [
  ['in-process.ts', '', /^http:\/\/127\.0\.0\.1:\d+ \/.+\n$/],
  ['testing-readme.ts', `console.log(token.split('.').length)`, /^3\n$/],
  ['orders.test.ts', `console.log(token.split('.').length)`, /^3\n$/],
  [
    'credentials.test.ts',
    `console.log(assertion.split('.').length, certificate.slice(0, 27), privateKey.type)`,
    /^3 -----BEGIN CERTIFICATE----- private\n$/,
  ],
  [
    'hooks.test.ts',
    `import { test } from 'node:test'
    test('has an address', () => { new URL(entra().url) })`,
    /has an address/,
  ],
]

/** A snippet that calls an API with a token of another process, more code, and what it prints. */
const calls: readonly (readonly [name: string, more: string, output: string])[] = [
  ['client-readme.ts', 'console.log(orders)', `[ 'Bearer a.b.c' ]\n`],
]

/** How a snippet of an API answers a request without a token. */
const apis: Readonly<Record<string, string>> = {
  'guard-readme.ts': `import { app } from './guard-readme.ts'; show(await app.request('/api/orders'))`,
}
const harness = `const show = ({ status }) => console.log(status)
`

/** The blocks that pasted-blocks.test.ts runs as a reader pastes them. */
const pasted = ['api.test.mts', 'express.mts']

describe('the snippets in the pages, with the packed packages,', () => {
  // Hono comes with the test kit.
  const consumer = new Consumer()
    .install('guard')
    .install('client')
    .install('identity-provider')
    .install('testing')
    .add({
      express: 'express',
      hono: 'hono',
      '@types/express': '@types/express',
      '@types/node': '@types/node',
    })
  let provider: Server
  let origin = ''
  before(async () => {
    provider = createServer((request, response) => {
      const isToken = request.url?.endsWith('/oauth2/v2.0/token')
      const token = { token_type: 'Bearer', expires_in: 3599, access_token: 'a.b.c' }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(isToken ? token : [request.headers.authorization]))
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    for (const [name, code] of snippets) consumer.write(name, `${preambles[name] ?? ''}${code}`)
    consumer.copy(join(root, 'services/greeting-api/registrations.json'), 'registrations.json')
    consumer.write(
      'workers.d.ts',
      `declare module 'cloudflare:workers' {
      export function waitUntil(promise: Promise<unknown>): void
    }`,
    )
  })
  after(() => {
    provider.close()
    consumer[Symbol.dispose]()
  })

  it('are all executed', () => {
    const programs = [...calls, ...providers].map(([name]) => name)
    assert.deepEqual(
      [...snippets.keys()].toSorted(),
      [...programs, ...pasted, ...Object.keys(apis), 'fault.test.ts', 'worker.ts'].toSorted(),
    )
  })

  it('compile', () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts'] }))
    const compiler = join(peerFolder, 'typescript-5/bin/tsc')
    const { status, stdout } = run(process.execPath, [compiler, '-p', '.'], consumer.folder)
    assert.equal(status, 0, stdout)
  })

  for (const [name, code] of Object.entries(apis)) {
    it(`${name} responds with 401 without a token`, () => {
      const file = consumer.write(`run-${name.replace('.ts', '.mjs')}`, harness + code)
      const { stdout, stderr } = run(process.execPath, [file], consumer.folder, {
        TENANT_ID: '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
        API_APPLICATION_ID: '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001',
      })
      assert.equal(stdout, '401\n', stderr)
    })
  }

  for (const [name, more, output] of calls) {
    it(`${name} calls the API with a token`, async () => {
      const local = (snippets.get(name) ?? '')
        .replace('https://login.microsoftonline.com', origin)
        .replace('https://api.example', origin)
      const file = consumer.write(`local-${name}`, `${local}\n${more}`)
      // The provider runs in this process, so the program must not block it.
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        cwd: consumer.folder,
      })
      assert.equal(stdout, output)
    })
  }

  for (const [name, more, output] of providers) {
    it(`${name} runs without an error`, () => {
      const file = consumer.write(`run-${name}`, `${snippets.get(name)}\n${more}`)
      const { status, stdout, stderr } = run(process.execPath, [file], consumer.folder)
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout, output)
    })
  }

  it('fault.test.ts fails if no request triggers the fault, as its page says', () => {
    const file = join(consumer.folder, 'fault.test.ts')
    const { status, stderr } = run(process.execPath, [file], consumer.folder)
    assert.equal(status, 1)
    assert.match(stderr, /FaultsNotAppliedError/)
  })

  for (const [name, flags] of Object.entries(workerFlags)) {
    for (const [file, exported] of Object.entries({
      'worker.ts': 'default',
      'guard-readme.ts': 'app',
    })) {
      it(`${file} responds with 401 on workerd ${name}`, async () => {
        consumer.write(
          'worker-test.js',
          `import { ${exported} as worker } from './${file}'
          export default { async test() {
            console.log((await worker.fetch(new Request('https://a.example/api/orders'))).status)
          } }`,
        )
        const config = await writeWorker(consumer, 'worker-test.js', flags)
        const { stdout, stderr } = run(runtimes.workerd, ['test', config], consumer.folder)
        assert.match(stdout, /^401$/m, stderr)
      })
    }
  }
})

describe('the commands of docs/guides/installing.md', () => {
  const page = readFileSync(join(root, 'docs/guides/installing.md'), 'utf8')

  it('pack a folder that the build creates', () => {
    const [, build, paths = ''] = /^npm ci && (npm run build)\nnpm pack (.+)$/m.exec(page) ?? []
    assert.equal(build, 'npm run build')
    for (const path of paths.split(' '))
      assert.ok(publishedPaths.includes(/^\.\/(\S+)\/dist$/.exec(path)?.[1] ?? ''), path)
  })

  it('install the tarball', () => {
    const [, command = ''] = /`npm (install \.\/\S+\.tgz)`/.exec(page) ?? []
    using consumer = new Consumer()
    const tarball = tarballOf('guard')
    consumer.copy(tarball, basename(tarball))
    npm([...command.split(' '), '--prefer-offline', '--no-audit', '--no-fund'], consumer.folder)
    assert.ok(existsSync(join(consumer.folder, 'node_modules/@greeting/guard/lib/index.js')))
  })
})
