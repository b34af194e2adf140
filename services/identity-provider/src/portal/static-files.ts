import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Context } from 'hono'
import type { ServerEnv } from '../http/request-header.ts'

// A package contains its source folder too, so the path is the same from the compiled file.
const own = (name: string) => new URL(`../../src/portal/static/${name}`, import.meta.url)

const text = 'text/javascript; charset=utf-8'
const files: Readonly<Record<string, { readonly url: URL; readonly type: string }>> = {
  'pico.css': {
    url: new URL(import.meta.resolve('@picocss/pico/css/pico.fluid.classless.min.css')),
    type: 'text/css; charset=utf-8',
  },
  'portal.css': { url: own('portal.css'), type: 'text/css; charset=utf-8' },
  'portal.js': { url: own('portal.js'), type: text },
  'copy.js': { url: own('copy.js'), type: text },
  'countdown.js': { url: own('countdown.js'), type: text },
  'decode.js': { url: own('decode.js'), type: text },
  'follow.js': { url: own('follow.js'), type: text },
  'icon.svg': { url: own('icon.svg'), type: 'image/svg+xml' },
}

type StaticFile = { readonly bytes: Buffer; readonly gzip: Buffer; readonly version: string }
const loaded = new Map<string, StaticFile>()

/** Reads a file at its first use. */
function load(name: string): StaticFile | undefined {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (file === undefined) return undefined
  const bytes = readFileSync(fileURLToPath(file.url))
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  const one = { bytes, gzip: gzipSync(bytes), version }
  loaded.set(name, one)
  return one
}

/** The path of a static file. It changes with the content, so browsers may keep the file. */
export function staticPath(name: string): string {
  return `/portal/static/${name}?v=${load(name)?.version ?? ''}`
}

/** Answers a request for a static file; undefined when there is none of this name. */
export function staticFile(context: Context<ServerEnv>, name: string): Response | undefined {
  const file = load(name)
  if (file === undefined) return undefined
  const isZipped = context.req.header('accept-encoding')?.includes('gzip') ?? false
  return new Response(new Uint8Array(isZipped ? file.gzip : file.bytes), {
    headers: {
      'content-type': files[name]?.type ?? 'application/octet-stream',
      ...(isZipped && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    },
  })
}
