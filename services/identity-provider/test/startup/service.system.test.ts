import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { openStorage, type Storage } from '@greeting/directory/storage'
import { decodeProtectedHeader } from 'jose'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { keyFromFile } from '../../src/signing/open-keys.ts'
import { SigningKeys } from '../../src/signing/signing-keys.ts'
import { failToStartHere, startHere } from '../provider-here.ts'
import { readSeeded, verifiedToken } from '../provider-process.ts'
import { fixtureSigningKey } from '../signing/fixture-signing-key.ts'
import { fixtureEnvironment } from './fixture-environment.ts'

/** A data folder after a start without HTTPS. Most tests have a copy, because new keys are slow. */
const seededDir = freshFolder()

before(async () => {
  await (await startHere({ DATA_DIR: seededDir, HTTPS_PORT: 'off' })).stop()
})

async function seededFolder(): Promise<string> {
  const copy = freshFolder()
  await cp(seededDir, copy, { recursive: true })
  return copy
}

async function getSecurely(url: string, path: string, dataDir: string): Promise<string> {
  const ca = await readFile(join(dataDir, 'tls', 'authority.pem'))
  const asked = request(`${url}${path}`, { ca, agent: false }).end()
  const [response] = await once(asked, 'response')
  return (await response.toArray()).join('')
}

describe('the service', () => {
  it('serves HTTPS beside HTTP, with a separate URL and a local certificate authority', async () => {
    const DATA_DIR = await seededFolder()
    const { httpsUrl = '', stop } = await startHere({
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

  it('includes objects of the tenants in METRICS_TENANT_IDS in the metrics after a cleanup', async () => {
    const DATA_DIR = await seededFolder()
    const { tenantId } = await readSeeded(DATA_DIR)
    let storage: Storage | undefined
    const { metricsUrl, stop } = await startHere(
      { DATA_DIR, HTTPS_PORT: 'off', METRICS_PORT: '0', METRICS_TENANT_IDS: tenantId },
      {
        ...fixtureEnvironment,
        openStorage: async (parts) => {
          storage = await fixtureEnvironment.openStorage(parts)
          return storage
        },
      },
    )
    await storage?.tidy(new Date(), undefined)
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text()
    const count = new RegExp(`^greeting_tenant_objects{tenant_id="${tenantId}"} (\\d+)$`, 'm')
    assert.ok(Number(count.exec(metrics)?.[1]) > 3, metrics)
    await stop()
  })

  describe('when another process on its data file revokes the signing key', () => {
    let [DATA_DIR, url] = ['', '']
    let [stop, revoke] = [async () => {}, async () => {}]
    let [kid, authorization] = ['', '']
    before(async () => {
      DATA_DIR = await seededFolder()
      const running = await startHere({ DATA_DIR, HTTPS_PORT: 'off' })
      url = running.url
      const storage = await openStorage({ dataDir: DATA_DIR })
      stop = () => Promise.all([running.stop(), storage.close()]).then(() => undefined)
      const path = join(DATA_DIR, 'key-encryption.key')
      const keys = await SigningKeys.open({
        store: storage.keyRing,
        keyEncryptionKey: await keyFromFile({ path, keysExist: true }),
        agreedTime: agreedNow(),
        schedule: { longestTokenSeconds: 3600 },
        generate: fixtureSigningKey,
      })
      revoke = () => keys.revoke(kid, { actor: 'an administrator', correlationId: null })
    })
    beforeEach(async () => {
      const file = await readFile(join(DATA_DIR, 'administrator.env'), 'utf8')
      const { TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(file)
      const response = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          scope: 'https://graph.microsoft.com/.default',
        }),
      })
      const { access_token } = await response.json()
      authorization = `Bearer ${access_token}`
      kid = decodeProtectedHeader(access_token).kid ?? ''
    })
    after(() => stop())

    for (const [what, isInUse] of [
      [
        'is not in the key set',
        async () => (await (await fetch(`${url}/common/discovery/v2.0/keys`)).text()).includes(kid),
      ],
      [
        'authenticates no administrator',
        async () => (await fetch(`${url}/v1.0/applications`, { headers: { authorization } })).ok,
      ],
    ] as const)
      it(`the key ${what} after a second`, async () => {
        assert.ok(await isInUse())
        await revoke()
        // The maintenance of each minute would read the keys too.
        const signal = AbortSignal.timeout(30_000)
        while (await isInUse()) await setTimeout(50, undefined, { signal })
      })
  })

  it('serves only HTTPS when HTTP is off', async () => {
    const DATA_DIR = await seededFolder()
    const { url, httpsUrl = '', stop } = await startHere({ DATA_DIR, PORT: 'off', HTTPS_PORT: '0' })
    assert.equal(url, httpsUrl)
    assert.match(await getSecurely(httpsUrl, '/readyz', DATA_DIR), /"ready"/)
    await stop()
  })

  it('serves only HTTP when HTTPS is off, without a certificate authority', async () => {
    const DATA_DIR = await seededFolder()
    const { httpsUrl, stop } = await startHere({ DATA_DIR, HTTPS_PORT: 'off' })
    assert.equal(httpsUrl, undefined)
    assert.ok(!(await readdir(DATA_DIR)).includes('tls'))
    await stop()
  })

  it('exits with code 2 for invalid settings, and reports all of them', async () => {
    const { code, stderr } = await failToStartHere({
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

  describe('when a port is in use', () => {
    const taken = createServer()
    let port: number
    before(async () => {
      await once(taken.listen(0, '127.0.0.1'), 'listening')
      port = (taken.address() as AddressInfo).port
    })
    after(() => taken.close())

    it('leaves the other port closed', async () => {
      const DATA_DIR = freshFolder()
      const { code, stderr } = await failToStartHere({ DATA_DIR, HTTPS_PORT: String(port) })
      assert.equal(code, 1)
      assert.ok(stderr.includes(`port ${port} at 127.0.0.1 is taken by another program`), stderr)
    })

    it('reports it in one sentence, and creates nothing', async () => {
      const DATA_DIR = freshFolder()
      const { code, stderr } = await failToStartHere({ DATA_DIR, PORT: String(port) })
      assert.equal(code, 1)
      assert.equal(
        stderr,
        `The identity provider cannot start: port ${port} at 127.0.0.1 is taken by another program: stop it, or set PORT to another port.\n`,
      )
      assert.deepEqual(await readdir(DATA_DIR), [])
    })
  })

  it('reports a damaged certificate authority in one sentence', async () => {
    const DATA_DIR = await seededFolder()
    await (await startHere({ DATA_DIR })).stop()
    await rm(join(DATA_DIR, 'tls', 'authority.key'))
    const { code, stderr } = await failToStartHere({ DATA_DIR })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^The identity provider cannot start: the key .* of the certificate authority is missing/,
    )
  })

  it('stores no private key and no secret in plain text', async () => {
    const [{ clientSecret }] = (await readSeeded(seededDir)).clients
    for (const name of await readdir(seededDir)) {
      // Files for their owner only.
      if (['seeded.json', 'administrator.env'].includes(name)) continue
      const bytes = await readFile(join(seededDir, name))
      assert.ok(!bytes.includes(clientSecret), name)
      assert.ok(!bytes.includes('PRIVATE KEY'), name)
    }
  })

  const sentences: [string, (dataDir: string) => Promise<Record<string, string>>, RegExp][] = [
    [
      'a data folder that cannot be created',
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
      'a missing registrations file',
      async (dataDir) => ({ REGISTRATIONS: join(dataDir, 'none.json') }),
      /\/none\.json does not exist\.$/m,
    ],
    [
      'an invalid registrations file',
      async (dataDir) => {
        await writeFile(join(dataDir, 'wrong.json'), '{"tenant":{"id":"contoso"}}')
        return { REGISTRATIONS: join(dataDir, 'wrong.json') }
      },
      /tenant\.id must be a GUID/,
    ],
    [
      'registrations with terminal control characters (CL16)',
      async (dataDir) => {
        const file = { '\u001b[31mx\n\u202e\u009b': 1 }
        await writeFile(join(dataDir, 'hostile.json'), JSON.stringify(file))
        return { REGISTRATIONS: join(dataDir, 'hostile.json') }
      },
      /: \\u001b\[31mx\\u000a\\u202e\\u009b is not a property of this format\.\n$/,
    ],
    [
      'a data folder that is a file',
      async (dataDir) => {
        await writeFile(join(dataDir, 'file'), '')
        return { DATA_DIR: join(dataDir, 'file') }
      },
      /\/file is a file\.$/m,
    ],
    ...(process.platform === 'linux'
      ? [
          [
            'a data folder that no file system creates',
            async () => ({ DATA_DIR: '/proc/none/data' }),
            /\/proc\/none cannot be created there\.$/m,
          ] satisfies (typeof sentences)[number],
        ]
      : []),
    [
      'an unavailable database',
      async () => ({ DATABASE_URL: 'postgres://greeting:canary@127.0.0.1:1/greeting' }),
      /127\.0\.0\.1:1/,
    ],
  ]
  for (const [what, prepare, expected] of sentences) {
    it(`reports in one sentence that it cannot start with ${what}, and exits with code 1`, async () => {
      const DATA_DIR = freshFolder()
      const { code, stderr } = await failToStartHere({
        DATA_DIR,
        HTTPS_PORT: 'off',
        ...(await prepare(DATA_DIR)),
      })
      assert.equal(code, 1)
      assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
      assert.match(stderr, expected)
      assert.doesNotMatch(stderr, /canary/)
    })
  }

  it('reports that the stored keys are encrypted with another key, and overwrites nothing', async () => {
    const DATA_DIR = await seededFolder()
    const environment = { DATA_DIR, HTTPS_PORT: 'off' }
    const other = Buffer.alloc(32, 7).toString('base64')
    const { code, stderr } = await failToStartHere({ ...environment, KEY_ENCRYPTION_KEY: other })
    assert.equal(code, 1)
    assert.match(stderr, /^The identity provider cannot start: [^\n]+\.\n$/)
    const again = await startHere(environment)
    await verifiedToken(again.url, DATA_DIR)
    await again.stop()
  })
})
