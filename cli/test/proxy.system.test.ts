import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'
import { local } from '../../test/fixtures/tls-identities.ts'
import { answering, granting, serving } from './fakes/servers.ts'

const bin = join(import.meta.dirname, '../bin/greeting.js')

/** A proxy that connects each tunnel with one server, and the hosts that were asked for. */
async function proxyTo(test: TestContext, answer: RequestListener) {
  const server = createTlsServer(local, answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const far = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(far).pipe(socket)
    })
    for (const one of [socket, far]) one.on('error', () => undefined)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  test.after(() => {
    server.closeAllConnections()
    for (const one of [server, proxy]) one.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

async function run(args: readonly string[], settings: Record<string, string>) {
  const cwd = freshFolder()
  const env = {
    PATH: process.env.PATH,
    // The certificate of the far server has another name.
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_NO_WARNINGS: '1',
    TENANT_ID: 't',
    CLIENT_ID: 'c',
    CLIENT_SECRET: 's',
    SCOPE: 'api://x/.default',
    ...settings,
  }
  const child = spawn(process.execPath, [bin, ...args, '--deadline', '5'], { cwd, env })
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'close')
  const [out, err] = await printed
  return { code, out, err }
}

describe('the command behind a proxy', () => {
  const far = { AUTH_URL: 'https://login.invalid' }
  const system: RequestListener = (request, response) =>
    (request.method === 'POST' ? granting('token') : answering(200, 'Hi'))(request, response)
  type Row = readonly [
    names: Record<string, string>,
    args: readonly string[],
    settings: Record<string, string>,
    asked: readonly string[],
    says: RegExp,
  ]
  const rows: readonly Row[] = [
    [{ HTTPS_PROXY: '{proxy}' }, ['token'], far, ['login.invalid:443'], /^token\n$/],
    [{ https_proxy: '{proxy}' }, ['token'], far, ['login.invalid:443'], /^token\n$/],
    [
      { HTTPS_PROXY: '{proxy}' },
      ['hi'],
      { ...far, BASE_URL: 'https://api.invalid' },
      ['login.invalid:443', 'api.invalid:443'],
      /^Hi\n$/,
    ],
    [
      { HTTPS_PROXY: '{proxy}', NO_PROXY: 'login.invalid' },
      ['token'],
      far,
      [],
      /host name is unknown/,
    ],
    [{ HTTPS_PROXY: '{proxy}', no_proxy: '.invalid' }, ['token'], far, [], /host name is unknown/],
    [
      { HTTPS_PROXY: '{proxy}', NODE_USE_ENV_PROXY: '0' },
      ['token'],
      far,
      [],
      /host name is unknown/,
    ],
    [
      { HTTP_PROXY: '{proxy}', HTTPS_PROXY: '{proxy}' },
      ['hi'],
      { AUTH_URL: '{local}' },
      [],
      /^Hi\n$/,
    ],
    [
      { HTTPS_PROXY: '127.0.0.1:3128' },
      ['token'],
      far,
      [],
      /^HTTPS_PROXY must be the URL of a proxy, such as http:\/\/proxy.example:3128\n$/,
    ],
    [{ http_proxy: 'nothing' }, ['token'], far, [], /^http_proxy must be the URL of a proxy/],
    [
      { HTTPS_PROXY: '{proxy}' },
      ['doctor'],
      far,
      ['login.invalid:443', 'login.invalid:443'],
      /^ok +proxy +requests to other machines pass http:\/\/127\.0\.0\.1:\d+\/?, unless NO_PROXY names them$/m,
    ],
  ]
  for (const [names, args, settings, expected, says] of rows)
    it(`uses ${JSON.stringify(names)} for greeting ${args.join(' ')} at ${settings.AUTH_URL}`, async (test) => {
      const proxy = await proxyTo(test, system)
      const origin = await serving(test, system)
      const filled = Object.entries({ BASE_URL: origin, ...settings, ...names }).map(
        ([name, value]) => [name, value.replace('{proxy}', proxy.url).replace('{local}', origin)],
      )
      const { out, err } = await run(args, Object.fromEntries(filled))
      assert.match(out + err, says)
      assert.deepEqual(proxy.asked, expected)
    })
})
