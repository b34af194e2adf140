import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  abandonAtOnce,
  failToStart,
  readSeeded,
  requestToken,
  startProvider,
} from './provider-process.ts'

let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'greeting-provider-'))
})
after(() => rm(folder, { recursive: true }))

const dataFolder = () => mkdtemp(join(folder, 'data-'))

async function verifiedToken(url: string, dataDir: string) {
  const response = await requestToken(url, dataDir)
  const { access_token } = await response.json()
  const { tenantId, apis } = await readSeeded(dataDir)
  const keys = createRemoteJWKSet(new URL(`${url}/${tenantId}/discovery/keys`))
  return jwtVerify(access_token, keys, { audience: apis[0].identifierUri })
}

async function getSecurely(url: string, path: string, dataDir: string): Promise<string> {
  const ca = await readFile(join(dataDir, 'tls', 'authority.pem'))
  const asked = request(`${url}${path}`, { ca, agent: false }).end()
  const [response] = await once(asked, 'response')
  return (await response.toArray()).join('')
}

describe('the identity provider as a process', () => {
  it('starts with an empty folder, issues a valid token, and stops on a signal', async () => {
    const DATA_DIR = join(await dataFolder(), 'made/on/first/start')
    const provider = await startProvider({ DATA_DIR })
    const { payload } = await verifiedToken(provider.url, DATA_DIR)
    const { tenantId } = await readSeeded(DATA_DIR)
    assert.equal(payload.iss, `${provider.url}/${tenantId}/`)
    const ready = await fetch(`${provider.url}/readyz`)
    assert.deepEqual(await ready.json(), { status: 'ready' })
    assert.equal(await provider.end('SIGTERM'), 0)
  })

  it('stops when the IPC channel to its parent closes', async () => {
    const DATA_DIR = await dataFolder()
    const provider = await startProvider({ DATA_DIR }, { overChannel: true })
    await verifiedToken(provider.url, DATA_DIR)
    assert.equal(await provider.abandon(), 0)
    // A stop closes the database, so that no journal remains.
    assert.ok(!(await readdir(DATA_DIR)).some((name) => name.endsWith('-wal')))
  })

  it('stops when the IPC channel closes during the start', async () => {
    assert.equal(await abandonAtOnce({ DATA_DIR: await dataFolder() }), 0)
  })

  it('keeps keys, registrations and secrets after a stop and after a kill', async () => {
    const DATA_DIR = await dataFolder()
    const seen = new Set<string>()
    for (const [signal, code] of [
      ['SIGINT', 0],
      ['SIGKILL', null],
      ['SIGTERM', 0],
    ] as const) {
      const provider = await startProvider({ DATA_DIR })
      const { protectedHeader, payload } = await verifiedToken(provider.url, DATA_DIR)
      seen.add(`${protectedHeader.kid} ${payload.sub}`)
      assert.equal(await provider.end(signal), code)
    }
    assert.equal(seen.size, 1)
  })

  it('serves HTTPS beside HTTP, with its own URL and a local certificate authority', async () => {
    const DATA_DIR = await dataFolder()
    const { httpsUrl, end } = await startProvider({
      DATA_DIR,
      HTTPS_NAMES: 'login.contoso.example',
    })
    const { tenantId } = await readSeeded(DATA_DIR)
    const path = `/${tenantId}/v2.0/.well-known/openid-configuration`
    const document = JSON.parse(await getSecurely(httpsUrl, path, DATA_DIR))
    assert.match(httpsUrl, /^https:\/\/localhost:\d+$/)
    assert.equal(document.issuer, `${httpsUrl}/${tenantId}/v2.0`)
    assert.equal(document.token_endpoint, `${httpsUrl}/${tenantId}/oauth2/v2.0/token`)
    assert.equal(await end('SIGTERM'), 0)
  })

  it('serves HTTPS alone when HTTP is off', async () => {
    const DATA_DIR = await dataFolder()
    const { url, httpsUrl, end } = await startProvider({ DATA_DIR, PORT: 'off', HTTPS_PORT: '0' })
    assert.equal(url, httpsUrl)
    assert.match(await getSecurely(httpsUrl, '/readyz', DATA_DIR), /"ready"/)
    await end('SIGTERM')
  })

  it('serves HTTP alone when HTTPS is off, without a certificate authority', async () => {
    const DATA_DIR = await dataFolder()
    const { httpsUrl, end } = await startProvider({ DATA_DIR, HTTPS_PORT: 'off' })
    assert.equal(httpsUrl, undefined)
    assert.ok(!(await readdir(DATA_DIR)).includes('tls'))
    await end('SIGTERM')
  })

  it('leaves no port open when the other port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await failToStart({
      DATA_DIR: await dataFolder(),
      HTTPS_PORT: String(port),
    })
    taken.close()
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`port ${port} at 127\\.0\\.0\\.1 is taken by another program`))
  })

  it('reports a damaged certificate authority in one sentence', async () => {
    const DATA_DIR = await dataFolder()
    await (await startProvider({ DATA_DIR })).end('SIGTERM')
    await rm(join(DATA_DIR, 'tls', 'authority.key'))
    const { code, stderr } = await failToStart({ DATA_DIR })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^The identity provider cannot start: the key .* of the certificate authority is missing/,
    )
  })

  it('stores no private key and no secret in plain text', async () => {
    const DATA_DIR = await dataFolder()
    const provider = await startProvider({ DATA_DIR })
    await provider.end('SIGTERM')
    const [{ clientSecret }] = (await readSeeded(DATA_DIR)).clients
    for (const name of await readdir(DATA_DIR)) {
      // Files for their owner only, and the TLS keys, which sign no token.
      if (['seeded.json', 'administrator.env', 'tls'].includes(name)) continue
      const bytes = await readFile(join(DATA_DIR, name))
      assert.ok(!bytes.includes(clientSecret), name)
      assert.ok(!bytes.includes('PRIVATE KEY'), name)
    }
  })

  it('exits with 2 for invalid settings, and reports all of them', async () => {
    const { code, stderr } = await failToStart({
      PORT: '70000',
      AUTH_URL: 'http://login.example/',
      KEY_ENCRYPTION_KEY: 'canary',
    })
    assert.equal(code, 2)
    assert.match(stderr, /PORT is "70000"; expected a port from 0 to 65535, or off/)
    assert.match(stderr, /AUTH_URL is .*; expected an http or https URL without a slash at its end/)
    assert.match(stderr, /KEY_ENCRYPTION_KEY has an invalid value; expected 32 bytes in base64/)
    assert.doesNotMatch(stderr, /canary/)
  })

  it('reports a port in use in one sentence, and creates nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const DATA_DIR = await dataFolder()
    const { code, stderr } = await failToStart({ DATA_DIR, PORT: String(port) })
    other.close()
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `The identity provider cannot start: port ${port} at 127.0.0.1 is taken by another program.\n`,
    )
    assert.deepEqual(await readdir(DATA_DIR), [])
  })

  const sentences: [string, (dataDir: string) => Promise<Record<string, string>>, RegExp][] = [
    [
      'a data folder that cannot be one',
      async (dataDir) => {
        await writeFile(join(dataDir, 'file'), '')
        return { DATA_DIR: join(dataDir, 'file/data') }
      },
      /file\/data/,
    ],
    [
      'data that is damaged',
      async (dataDir) => {
        await writeFile(
          join(dataDir, 'greeting.sqlite'),
          'this is no database, but it is not empty',
        )
        return {}
      },
      /greeting\.sqlite/,
    ],
    [
      'registrations that are not there',
      async (dataDir) => ({ REGISTRATIONS: join(dataDir, 'none.json') }),
      /\/none\.json does not exist\.$/m,
    ],
    [
      'registrations that are wrong',
      async (dataDir) => {
        await writeFile(join(dataDir, 'wrong.json'), '{"tenant":{"id":"contoso"}}')
        return { REGISTRATIONS: join(dataDir, 'wrong.json') }
      },
      /tenant\.id must be a GUID/,
    ],
    [
      'registrations whose properties would steer a terminal (CL16)',
      async (dataDir) => {
        const file = { '\u001b[31mx\n\u202e\u009b': 1 }
        await writeFile(join(dataDir, 'hostile.json'), JSON.stringify(file))
        return { REGISTRATIONS: join(dataDir, 'hostile.json') }
      },
      /: \\u001b\[31mx\\u000a\\u202e\\u009b is not a property of this format\.\n$/,
    ],
    [
      'a database that is away',
      async () => ({ DATABASE_URL: 'postgres://greeting:canary@127.0.0.1:1/greeting' }),
      /127\.0\.0\.1:1/,
    ],
  ]
  for (const [what, prepare, expected] of sentences) {
    it(`reports in one sentence that it cannot start with ${what}, and exits with 1`, async () => {
      const DATA_DIR = await dataFolder()
      const { code, stderr } = await failToStart({ DATA_DIR, ...(await prepare(DATA_DIR)) })
      assert.equal(code, 1)
      assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
      assert.match(stderr, expected)
      assert.doesNotMatch(stderr, /canary/)
    })
  }

  it('reports stored keys under another encryption key, and overwrites nothing', async () => {
    const DATA_DIR = await dataFolder()
    await (await startProvider({ DATA_DIR })).end('SIGTERM')
    const other = Buffer.alloc(32, 7).toString('base64')
    const { code, stderr } = await failToStart({ DATA_DIR, KEY_ENCRYPTION_KEY: other })
    assert.equal(code, 1)
    assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
    const again = await startProvider({ DATA_DIR })
    await verifiedToken(again.url, DATA_DIR)
    assert.equal(await again.end('SIGTERM'), 0)
  })
})
