import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
}

/** A plain file server with gzip. It counts the bytes of the bodies that it sends. */
export async function serveFiles(folder: string, base = '/') {
  let sentBytes = 0
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const path = join(folder, decodeURIComponent(pathname.slice(base.length)))
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path
    if (!pathname.startsWith(base) || !existsSync(file)) return response.writeHead(404).end()
    const body = gzipSync(readFileSync(file))
    sentBytes += body.length
    const type = types[extname(file)] ?? 'application/octet-stream'
    return response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    sentBytes: () => sentBytes,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
