import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBrotliCompress, createGzip, gzipSync } from 'node:zlib'
import type { KeySetErrorCode } from '../../src/index.ts'

/** A fault of the provider: the expected error code, and a function that causes the fault. */
export type Fault = {
  readonly code: KeySetErrorCode
  readonly begin: (good: string) => RequestListener
}

const json = { 'content-type': 'application/json' }

const answer =
  (body: string | Buffer, status = 200, headers: Record<string, string> = json): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

/** Writes until the client closes the connection. */
function pour(response: ServerResponse, piece: Buffer | string, pieces: number): void {
  let left = pieces
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1
      if (!response.write(piece)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

const key = (index: number) => `{"kty":"RSA","kid":"${index}","n":"${'A'.repeat(40)}","e":"AQAB"},`
const megabyteOfSpaces = Buffer.alloc(1024 * 1024, ' ')

/** The faults of a provider, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  'answers 500': { code: 'bad_status', begin: () => answer('oops', 500) },
  'answers 502': { code: 'bad_status', begin: () => answer('<html>bad gateway</html>', 502) },
  'answers 503': { code: 'bad_status', begin: () => answer('', 503) },
  'answers 429': { code: 'bad_status', begin: () => answer('', 429, { 'retry-after': '3600' }) },
  'answers 401': { code: 'bad_status', begin: () => answer('{}', 401) },
  'answers 204': {
    code: 'bad_status',
    begin: () => (_, response) => void response.writeHead(204).end(),
  },
  'answers 206 with half of the key set': {
    code: 'bad_status',
    begin: (good) => answer(good.slice(0, good.length / 2), 206),
  },
  'answers 206 with the whole key set': { code: 'bad_status', begin: (good) => answer(good, 206) },
  'answers HTML': {
    code: 'not_json',
    begin: () => answer('<!doctype html><title>Sign in</title>', 200),
  },
  'answers {}': { code: 'not_a_key_set', begin: () => answer('{}') },
  'answers an empty set': { code: 'no_usable_key', begin: () => answer('{"keys":[]}') },
  'answers only unusable keys': {
    code: 'no_usable_key',
    begin: () => answer('{"keys":[{"kty":"EC","kid":"a"},{"kty":"oct","kid":"b","k":"AA"}]}'),
  },
  'answers its private key': {
    code: 'no_usable_key',
    begin: (good) => answer(good.replace('"kty"', '"d":"AQAB","kty"')),
  },
  'answers bytes that are not UTF-8': {
    code: 'not_json',
    begin: (good) => answer(Buffer.from(good.replace('"kid":"', '"kid":"\xff'), 'latin1')),
  },
  'answers 100,000 brackets': {
    code: 'not_json',
    begin: () => answer('['.repeat(100_000) + ']'.repeat(100_000)),
  },
  'answers 50,000 keys': {
    code: 'too_large',
    begin: () => (_, response) => {
      response.writeHead(200, json).write('{"keys":[')
      pour(response, Array.from({ length: 500 }, (_, index) => key(index)).join(''), 100)
    },
  },
  'answers 50 MB': {
    code: 'too_large',
    begin: () => (_, response) => {
      response.writeHead(200, json)
      pour(response, megabyteOfSpaces, 50)
    },
  },
  'answers a gzip bomb': {
    code: 'too_large',
    begin: () => (_, response) => {
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      response.on('close', () => gzip.destroy())
      for (let megabyte = 0; megabyte < 50; megabyte += 1) gzip.write(megabyteOfSpaces)
      gzip.end()
    },
  },
  'answers a bomb in five encodings': {
    code: 'too_large',
    begin: () => {
      let bomb = gzipSync(megabyteOfSpaces)
      for (let layer = 0; layer < 4; layer += 1) bomb = gzipSync(bomb)
      const encodings = { ...json, 'content-encoding': 'gzip, gzip, gzip, gzip, gzip' }
      return answer(bomb, 200, encodings)
    },
  },
  'answers a brotli bomb': {
    code: 'too_large',
    begin: () => (_, response) => {
      response.writeHead(200, { ...json, 'content-encoding': 'br' })
      const brotli = createBrotliCompress()
      brotli.pipe(response)
      response.on('close', () => brotli.destroy())
      for (let megabyte = 0; megabyte < 8; megabyte += 1) brotli.write(megabyteOfSpaces)
      brotli.end()
    },
  },
  'declares gzip for plain text': {
    code: 'unreachable',
    begin: (good) => answer(good, 200, { ...json, 'content-encoding': 'gzip' }),
  },
  'sends less than its content-length': {
    code: 'unreachable',
    begin: (good) => (_, response) => {
      response.writeHead(200, { ...json, 'content-length': good.length + 10 }).write(good)
      setImmediate(() => response.destroy())
    },
  },
  'closes the connection within the body': {
    code: 'unreachable',
    begin: (good) => (_, response) => {
      response.writeHead(200, { ...json, 'content-length': good.length })
      response.write(good.slice(0, 100))
      setImmediate(() => response.destroy())
    },
  },
  'resets the connection': {
    code: 'unreachable',
    begin: () => (request) => request.socket.resetAndDestroy(),
  },
  'closes without an answer': {
    code: 'unreachable',
    begin: () => (request) => request.socket.end(),
  },
  'speaks another protocol than HTTP': {
    code: 'unreachable',
    begin: () => (request) => request.socket.end('220 mail ready\r\n'),
  },
}

/** Faults without an end: they last until the timeout of the guard. */
export const endlessFaults: Readonly<Record<string, Fault>> = {
  'accepts the connection and never answers': { code: 'timed_out', begin: () => () => {} },
  'answers headers and no body': {
    code: 'timed_out',
    begin: () => (_, response) => {
      response.writeHead(200, json).flushHeaders()
    },
  },
  'sends single bytes slowly': {
    code: 'timed_out',
    begin: (good) => (_, response) => {
      response.writeHead(200, json)
      let sent = 0
      const drip = setInterval(() => {
        response.write(good[sent] ?? ' ')
        sent += 1
      }, 5)
      response.on('close', () => clearInterval(drip))
    },
  },
}

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>

/** A provider with a real socket and with any of these faults. */
export async function startFaultServer(good: string) {
  let listener = answer(good)
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    listener(request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const down = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    url: `http://127.0.0.1:${port}/keys`,
    requests: () => requests,
    answerWith: (other: RequestListener) => {
      listener = other
    },
    publish: (body: string) => {
      listener = answer(body)
    },
    down,
    up: () => listen(port),
  }
}
