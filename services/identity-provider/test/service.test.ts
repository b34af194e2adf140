import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runService } from '@greeting/http-service'
import { pino } from 'pino'
import { startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'
import { readSeeded, registrationsFile, verifiedToken } from './provider-process.ts'

let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'greeting-service-'))
})
after(() => rm(folder, { recursive: true }))

const dataFolder = () => mkdtemp(join(folder, 'data-'))

type Environment = Readonly<Record<string, string>>
const environmentWith = (environment: Environment) => ({
  PORT: '0',
  REGISTRATIONS: registrationsFile,
  LOG_LEVEL: 'silent',
  ...environment,
})

/** Starts the service in this process. */
const start = (environment: Environment) =>
  startService(readSettings(environmentWith(environment)), pino({ level: 'silent' }))

class Exit extends Error {}

/** Runs the service as `main.ts` does, with a fake process: the exit code and the text on stderr. */
async function failToStart(environment: Environment) {
  const ended = { code: 0, stderr: '' }
  const host = Object.assign(new EventEmitter(), {
    env: environmentWith(environment),
    argv: [],
    pid: 1,
    stderr: {
      write: (text: string) => {
        ended.stderr += text
      },
    },
    exit: (code: number) => {
      ended.code = code
      throw new Exit()
    },
  })
  const definition = {
    name: 'identity-provider',
    title: 'identity provider',
    readSettings,
    start: startService,
  }
  await assert.rejects(runService(host as unknown as NodeJS.Process, definition), Exit)
  return ended
}

async function getSecurely(url: string, path: string, dataDir: string): Promise<string> {
  const ca = await readFile(join(dataDir, 'tls', 'authority.pem'))
  const asked = request(`${url}${path}`, { ca, agent: false }).end()
  const [response] = await once(asked, 'response')
  return (await response.toArray()).join('')
}

describe('the service', () => {
  it('serves HTTPS beside HTTP, with its own URL and a local certificate authority', async () => {
    const DATA_DIR = await dataFolder()
    const { httpsUrl = '', stop } = await start({
      DATA_DIR,
      HTTPS_NAMES: 'login.contoso.example',
    })
    const { tenantId } = await readSeeded(DATA_DIR)
    const path = `/${tenantId}/v2.0/.well-known/openid-configuration`
    const document = JSON.parse(await getSecurely(httpsUrl, path, DATA_DIR))
    assert.match(httpsUrl, /^https:\/\/localhost:\d+$/)
    assert.equal(document.issuer, `${httpsUrl}/${tenantId}/v2.0`)
    assert.equal(document.token_endpoint, `${httpsUrl}/${tenantId}/oauth2/v2.0/token`)
    await stop()
  })

  it('serves HTTPS alone when HTTP is off', async () => {
    const DATA_DIR = await dataFolder()
    const { url, httpsUrl = '', stop } = await start({ DATA_DIR, PORT: 'off', HTTPS_PORT: '0' })
    assert.equal(url, httpsUrl)
    assert.match(await getSecurely(httpsUrl, '/readyz', DATA_DIR), /"ready"/)
    await stop()
  })

  it('serves HTTP alone when HTTPS is off, without a certificate authority', async () => {
    const DATA_DIR = await dataFolder()
    const { httpsUrl, stop } = await start({ DATA_DIR, HTTPS_PORT: 'off' })
    assert.equal(httpsUrl, undefined)
    assert.ok(!(await readdir(DATA_DIR)).includes('tls'))
    await stop()
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
    await (await start({ DATA_DIR })).stop()
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
    await (await start({ DATA_DIR })).stop()
    const [{ clientSecret }] = (await readSeeded(DATA_DIR)).clients
    for (const name of await readdir(DATA_DIR)) {
      // Files for their owner only, and the TLS keys, which sign no token.
      if (['seeded.json', 'administrator.env', 'tls'].includes(name)) continue
      const bytes = await readFile(join(DATA_DIR, name))
      assert.ok(!bytes.includes(clientSecret), name)
      assert.ok(!bytes.includes('PRIVATE KEY'), name)
    }
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
    await (await start({ DATA_DIR })).stop()
    const other = Buffer.alloc(32, 7).toString('base64')
    const { code, stderr } = await failToStart({ DATA_DIR, KEY_ENCRYPTION_KEY: other })
    assert.equal(code, 1)
    assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
    const again = await start({ DATA_DIR })
    await verifiedToken(again.url, DATA_DIR)
    await again.stop()
  })
})
