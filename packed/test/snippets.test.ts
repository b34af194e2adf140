import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Consumer } from '../consumer.ts'
import { peerFolder, run, runtimes } from '../program.ts'
import { workerFlags, writeWorker } from '../worker.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'packages/guard/README.md',
  'packages/client/README.md',
  'docs/guides/migrating.md',
  'docs/guides/runtimes.md',
]
const snippets = new Map(
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/```ts (\S+)\n(.*?)```/gs)].map(
      ([, name = '', code = '']) => [name, code],
    ),
  ),
)

/** How a snippet of an API answers a request without a token. */
const apis: Readonly<Record<string, string>> = {
  'express.ts': `import { app } from './express.ts'; serve(app)`,
  'from-express.ts': `import { app } from './from-express.ts'; serve(app)`,
  'guard-readme.ts': `import { app } from './guard-readme.ts'; show(await app.request('/api/orders'))`,
  'web-api.ts': `import { fetch } from './web-api.ts'; show(await fetch(new Request('https://a.example/api/orders')))`,
}
const harness = `import { createServer } from 'node:http'
const show = ({ status }) => console.log(status)
const serve = (app) => {
  const server = createServer(app).listen(0, '127.0.0.1', async () => {
    show(await globalThis.fetch('http://127.0.0.1:' + server.address().port + '/api/orders'))
    server.close()
    server.closeAllConnections()
  })
}
`

describe('the snippets of the pages, with the packed packages', () => {
  const consumer = new Consumer().install('guard').install('client').add({
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
    for (const [name, code] of snippets) consumer.write(name, code)
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
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const compiler = join(peerFolder, 'typescript-5/bin/tsc')
    const { status, stdout } = run(process.execPath, [compiler, '-p', '.'], consumer.folder)
    assert.equal(status, 0, stdout)
    assert.ok(snippets.size >= 7)
  })

  for (const [name, code] of Object.entries(apis)) {
    it(`${name} answers 401 without a token`, () => {
      const file = consumer.write(`run-${name.replace('.ts', '.mjs')}`, harness + code)
      const { stdout, stderr } = run(process.execPath, [file], consumer.folder)
      assert.equal(stdout, '401\n', stderr)
    })
  }

  it('job.ts calls the API with a token', async () => {
    const local = (snippets.get('job.ts') ?? '')
      .replace('https://login.microsoftonline.com', origin)
      .replace('https://api.example', origin)
    const file = consumer.write('local-job.ts', local)
    // The provider runs in this process, so the program must not block it.
    const { execFile } = await import('node:child_process')
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [file], { cwd: consumer.folder }, (error, text) =>
        error ? reject(error) : resolve(text),
      )
    })
    assert.equal(stdout, "[ 'Bearer a.b.c' ]\n")
  })

  for (const [name, flags] of Object.entries(workerFlags)) {
    for (const [file, exported] of Object.entries({
      'worker.ts': 'default',
      'guard-readme.ts': 'app',
    })) {
      it(`${file} answers 401 on workerd ${name}`, async () => {
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
