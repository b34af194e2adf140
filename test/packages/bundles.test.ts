import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build as bundleWithEsbuild } from 'esbuild'
import { build as bundleWithVite } from 'vite'
import { Consumer } from './consumer.ts'
import { peerFolder, run } from './program.ts'

type Bundle = {
  readonly title: string
  readonly code: string
  /** Bytes of the minified bundle, and of the same with gzip. No budget: the row is for comparison. */
  readonly max?: { readonly bytes: number; readonly gzipBytes: number }
}

const bundles: readonly Bundle[] = [
  {
    title: '@greeting/guard and its Web adapter',
    code: `import { createGuard, entra } from '@greeting/guard'
      import { guardedFetch } from '@greeting/guard/web'
      export const all = [createGuard, entra, guardedFetch]`,
    max: { bytes: 118_200, gzipBytes: 37_300 },
  },
  {
    title: '@greeting/client',
    code: `import { clientSecret, createTokenSource, fetchWithToken } from '@greeting/client'
      export const all = [clientSecret, createTokenSource, fetchWithToken]`,
    max: { bytes: 38_600, gzipBytes: 14_800 },
  },
  {
    title: 'jose: verify with a remote key set',
    code: `export { createRemoteJWKSet, jwtVerify } from 'jose'`,
  },
  {
    title: 'express-oauth2-jwt-bearer',
    code: `export { auth } from 'express-oauth2-jwt-bearer'`,
  },
  {
    title: '@azure/msal-node',
    code: `export { ConfidentialClientApplication } from '@azure/msal-node'`,
  },
]

describe('a bundle', () => {
  const consumer = new Consumer()
    .install('guard')
    .install('client')
    .add(
      Object.fromEntries(
        ['jose', 'express-oauth2-jwt-bearer', '@azure/msal-node'].map((name) => [name, name]),
      ),
    )
  before(() => {
    for (const [index, { code }] of bundles.entries()) consumer.write(`entry-${index}.js`, code)
  })
  after(() => consumer[Symbol.dispose]())

  for (const [index, { title, max }] of bundles.entries()) {
    it(`of ${title} by esbuild ${max ? 'stays within its budget' : 'is shown for comparison'}`, async (t) => {
      const { outputFiles } = await bundleWithEsbuild({
        entryPoints: [join(consumer.folder, `entry-${index}.js`)],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        nodePaths: [peerFolder],
        write: false,
      })
      const bytes = outputFiles[0]?.contents ?? new Uint8Array()
      const gzipBytes = gzipSync(bytes).byteLength
      t.diagnostic(`${title}: ${bytes.byteLength} B, with gzip ${gzipBytes} B`)
      if (max === undefined) return
      assert.ok(bytes.byteLength <= max.bytes, `${bytes.byteLength} B`)
      assert.ok(gzipBytes <= max.gzipBytes, `${gzipBytes} B`)
    })
  }

  it('runs if Vite builds it', async (t) => {
    const result = await bundleWithVite({
      root: consumer.folder,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: join(consumer.folder, 'entry-0.js'),
        minify: true,
        write: false,
        rollupOptions: { output: { format: 'es' } },
      },
    })
    const [output] = [result].flat()
    assert.ok(output && 'output' in output)
    const code = output.output[0].code
    t.diagnostic(`@greeting/guard by Vite: ${Buffer.byteLength(code)} B`)
    const file = consumer.write('vite-bundle.mjs', `${code}\nconsole.log(typeof createGuard)`)
    const check = `import(${JSON.stringify(file)}).then((m) => console.log(m.all.map((one) => typeof one).join()))`
    consumer.write('vite-bundle.mjs', code)
    const { stdout, stderr } = run(process.execPath, ['--eval', check], consumer.folder)
    assert.equal(stdout.trim(), 'function,function,function', stderr)
  })
})

/** The files that a module loads before its first line runs. */
function loadedBy(lib: string, entry: string): ReadonlyMap<string, number> {
  const loaded = new Map<string, number>()
  const visit = (file: string) => {
    if (loaded.has(file)) return
    const code = readFileSync(join(lib, file), 'utf8')
    loaded.set(file, Buffer.byteLength(code))
    for (const [, next = ''] of code.matchAll(/^(?:import|export)\b[^"]*"\.\/([^"]+)";$/gm))
      visit(next)
  }
  visit(entry)
  return loaded
}

for (const [name, entry, maxFiles, maxBytes] of [
  ['testing', 'index.js', 6, 2_000_000],
  ['identity-provider', 'main.js', 6, 1_900_000],
  ['api', 'main.js', 4, 570_000],
  ['cli', 'main.js', 4, 270_000],
] as const)
  it(`starting ${name} loads no unnecessary file`, (t) => {
    using consumer = new Consumer().install(name)
    const lib = join(consumer.folder, 'node_modules/@greeting', name, 'lib')
    const loaded = loadedBy(lib, entry)
    const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0)
    t.diagnostic(`${name}: ${loaded.size} files, ${bytes} B`)
    assert.ok(loaded.size <= maxFiles, [...loaded.keys()].join())
    assert.ok(bytes <= maxBytes, `${bytes} B`)
    const lazy = /portal|operations|backup|restore|certificates|postgres|metrics|telemetry/
    assert.deepEqual(
      [...loaded.keys()].filter((file) => lazy.test(file)),
      [],
    )
  })
