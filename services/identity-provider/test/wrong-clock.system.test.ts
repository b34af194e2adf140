import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { put, systemRuntime } from '@greeting/directory'
import { AgreedClock } from '@greeting/directory/clock'
import { openStorage, type Storage } from '@greeting/directory/storage'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { patientStore } from '../../../test/fixtures/directory/patient-store.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../src/signing/key-encryption-key.ts'
import type { ServiceEnvironment } from '../src/startup/environment.ts'
import {
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
} from './endpoints/client-certificate.ts'
import { startHere } from './provider-here.ts'
import { readSeeded, requestToken } from './provider-process.ts'
import { fixtureEnvironment } from './startup/fixture-environment.ts'

const dayMs = 86_400_000

const folder = freshFolder()
let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(async () => {
  await server.stop()
})

/** The system with a clock that is some days ahead. */
const ahead = (days: number): ServiceEnvironment => ({
  ...fixtureEnvironment,
  runtime: { ...systemRuntime, now: () => new Date(Date.now() + days * dayMs) },
})

const readiness = async (url: string) => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, ((await response.json()) as { status: string }).status]
}

/** Obtains a token, and returns a check that the keys of a server verify it. */
async function tokenOf(url: string, dataDir: string) {
  const response = await requestToken(url, dataDir)
  assert.equal(response.status, 200)
  const { access_token } = (await response.json()) as { access_token: string }
  const { tenantId } = await readSeeded(dataDir)
  return async (at: string) => {
    const keySet = createRemoteJWKSet(new URL(`${at}/${tenantId}/discovery/keys`))
    await jwtVerify(access_token, keySet)
  }
}

const kidsOf = async ({ keyRing }: Storage) => (await keyRing.read()).ring.map(({ kid }) => kid)

describe('a server whose clock differs from the PostgreSQL clock', () => {
  for (const days of [800, -800]) {
    it(`by ${days} days is not ready, but the keys and tokens of the other servers stay valid`, async () => {
      const databaseUrl = await server.database()
      const rightDir = join(folder, `right${days}`)
      const settings = {
        DATABASE_URL: databaseUrl,
        KEY_ENCRYPTION_KEY: KeyEncryptionKey.generate().toBase64(),
        HTTPS_PORT: 'off',
      }
      await using storage = await closing(openStorage({ dataDir: '', databaseUrl }))
      await using right = await stopping(startHere({ ...settings, DATA_DIR: rightDir }))
      const verify = await tokenOf(right.url, rightDir)
      const kids = await kidsOf(storage)
      const environment = ahead(days)
      const wrongSettings = { ...settings, DATA_DIR: join(folder, `wrong${days}`) }
      await using wrong = await stopping(startHere(wrongSettings, environment))
      assert.deepEqual(await readiness(wrong.url), [503, 'clock differs'])
      assert.deepEqual(await readiness(right.url), [200, 'ready'])
      assert.deepEqual(await kidsOf(storage), kids)
      assert.ok(!(await readdir(wrongSettings.DATA_DIR)).includes('administrator.env'))
      await verify(right.url)
      await verify(wrong.url)
      const clock = await AgreedClock.open({
        now: environment.runtime.now,
        elapsedMs: environment.elapsedMs,
        readStoreMs: storage.clockMs,
        marks: storage.clockMarks,
        log: { info: () => {}, warn: () => {} },
      })
      assert.equal(await clock.agreedTime(), undefined, 'no cleanup')
    })
  }

  it('does not initialize an empty store, and names the clock to correct', async (test) => {
    const databaseUrl = await server.database()
    const settings = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, 'empty'),
      HTTPS_PORT: 'off',
      KEY_ENCRYPTION_KEY: KeyEncryptionKey.generate().toBase64(),
    }
    const started = startHere(settings, ahead(-1))
    test.after(() => started.then(({ stop }) => stop()).catch(() => undefined))
    await assert.rejects(started, {
      message:
        'The clock of this server is 86400 s behind the clock of the database, and the store is empty: correct the wrong clock, then start again.',
    })
    await using storage = await closing(openStorage({ dataDir: '', databaseUrl }))
    assert.deepEqual(await storage.directory.latest(), { revision: 0, mark: null })
  })
})

describe('a server with a data file', () => {
  for (const [days, status] of [
    [800, [200, 'ready']],
    [-1, [503, 'clock differs']],
  ] as const) {
    it(`is ${status[1] === 'ready' ? '' : 'not '}ready ${days} days after its last agreed time, and keeps its keys`, async () => {
      const dataDir = join(folder, `file${days}`)
      const settings = { DATA_DIR: dataDir, HTTPS_PORT: 'off' }
      const first = await startHere(settings)
      const verify = await tokenOf(first.url, dataDir)
      await first.stop()
      const administrator = await readFile(join(dataDir, 'administrator.env'), 'utf8')
      await using second = await stopping(startHere(settings, ahead(days)))
      assert.deepEqual(await readiness(second.url), status)
      await verify(second.url)
      const secretOf = (text: string) => /^CLIENT_SECRET=.*$/m.exec(text)?.[0]
      assert.equal(
        secretOf(await readFile(join(dataDir, 'administrator.env'), 'utf8')),
        secretOf(administrator),
      )
    })
  }
})

describe('an assertion that is valid once', () => {
  let dataDir: string
  let certificate: ClientCertificate
  const settings = () => ({ DATA_DIR: dataDir, HTTPS_PORT: 'off', ASSERTION_USE: 'once' })
  before(async () => {
    dataDir = join(folder, 'assertions')
    certificate = await clientCertificate()
    await (await startHere(settings())).stop()
    const storage = await openStorage({ dataDir })
    const store = patientStore(storage.directory)
    const { clients } = await readSeeded(dataDir)
    await store.update((directory) => {
      const client = directory.applicationByAppId(clients[0].applicationId)
      assert.ok(client)
      const changes = [put('application', { ...client, keyCredentials: [certificate.credential] })]
      return { changes, audit: [], result: undefined }
    })
    await storage.close()
  })

  for (const [when, days, status] of [
    ['is right', 0, 200],
    ['is behind, because the record of its use may be gone', -1 / 12, 503],
  ] as const) {
    it(`gets ${status} while the clock ${when} (AS37)`, async () => {
      await using service = await stopping(startHere(settings(), ahead(days)))
      const { tenantId, apis, clients } = await readSeeded(dataDir)
      const client_id = clients[0].applicationId
      const endpoint = `${service.url}/${tenantId}/oauth2/v2.0/token`
      const nbf = Math.floor((Date.now() + days * dayMs) / 1000)
      const claims = { aud: endpoint, iss: client_id, sub: client_id, nbf, exp: nbf + 600 }
      const assertion = await assertionOf(certificate, { claims })
      const { client_secret: _, ...proof } = asProof(assertion)
      const scope = `${apis[0].identifierUri}/.default`
      const form = { grant_type: 'client_credentials', client_id, scope, ...proof }
      const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) })
      assert.equal(response.status, status, await response.text())
    })
  }
})

const stopping = async <Started extends { stop: () => Promise<void> }>(
  started: Promise<Started>,
) => {
  const value = await started
  return { ...value, [Symbol.asyncDispose]: value.stop }
}

const closing = async (opened: Promise<Storage>) => {
  const storage = await opened
  return { ...storage, [Symbol.asyncDispose]: () => storage.close() }
}
