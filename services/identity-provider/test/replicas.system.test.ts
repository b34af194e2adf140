import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { put } from '@greeting/directory'
import { openStorage, type Storage } from '@greeting/directory/storage'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { agreedNow } from '../../../test/fixtures/directory/agreed-now.ts'
import { patientStore } from '../../../test/fixtures/directory/patient-store.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../src/signing/signing-keys.ts'
import type { Service } from '../src/startup/service.ts'
import { startIdentityProvider } from '../src/startup/start-identity-provider.ts'
import { startHere } from './provider-here.ts'
import {
  type ProviderProcess,
  readSeeded,
  requestToken,
  startProvider,
} from './provider-process.ts'
import { fixtureSigningKey } from './signing/fixture-signing-key.ts'

const effectiveEverywhereMs = 1000
/** Ends a test whose replicas never change. It is far beyond the time that a busy machine needs. */
const patienceMs = 120_000

const administrator = { actor: 'an administrator', correlationId: null }
const keyEncryptionKey = KeyEncryptionKey.generate()

const folder = freshFolder()
let server: PostgresServer
let databaseUrl: string
let storage: Storage
let keys: SigningKeys
/** Two in this process and one in another, because a process costs more. */
let replicas: readonly [Service, Service, ProviderProcess]
/** The folder of the replica that found the directory empty, with the secret in it. */
let seededIn: string

before(async () => {
  server = await PostgresServer.start()
  databaseUrl = await server.database()
  const environmentOf = (name: string) => ({
    DATA_DIR: join(folder, name),
    DATABASE_URL: databaseUrl,
    KEY_ENCRYPTION_KEY: keyEncryptionKey.toBase64(),
    ISSUER_URL: 'https://issuer.example',
    HTTPS_PORT: 'off',
  })
  const first = await startHere(environmentOf('first'))
  seededIn = join(folder, 'first')
  replicas = [
    first,
    ...(await Promise.all([
      startHere(environmentOf('second')),
      startProvider(environmentOf('third')),
    ])),
  ]
  storage = await openStorage({ dataDir: '', databaseUrl })
  keys = await SigningKeys.open({
    store: storage.keyRing,
    keyEncryptionKey,
    agreedTime: agreedNow(),
    schedule: { longestTokenSeconds: 3600 },
    generate: fixtureSigningKey,
  })
})

after(async () => {
  const [first, second, third] = replicas
  await Promise.all([first.stop(), second.stop(), third.end('SIGTERM')])
  await storage.close()
  await server.stop()
})

/** A replica, wherever it runs. */
type Replica = Pick<Service, 'url'>

const tenantUrl = async ({ url }: Replica) => `${url}/${(await readSeeded(seededIn)).tenantId}`

const publishedBy = async (replica: Replica): Promise<string[]> => {
  const response = await fetch(`${await tenantUrl(replica)}/discovery/keys`)
  const { keys } = (await response.json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

const tokenOf = async ({ url }: Replica): Promise<string> => {
  const response = await requestToken(url, seededIn)
  const { access_token } = (await response.json()) as { access_token: string }
  assert.equal(response.status, 200)
  return access_token
}

/** Waits until every replica answers so. Returns when the last request began that one answered otherwise. */
async function everywhere(isSo: (replica: Replica) => Promise<boolean>): Promise<number> {
  const startedAt = performance.now()
  for (let lastMs = 0; ; await setTimeout(25)) {
    const begunMs = performance.now() - startedAt
    if ((await Promise.all(replicas.map(isSo))).every(Boolean)) return lastMs
    assert.ok(begunMs < patienceMs, 'not so on every replica')
    lastMs = begunMs
  }
}

describe('three replicas on one PostgreSQL server', () => {
  it('publish the same keys, and each accepts the tokens of the others', async () => {
    const sets = await Promise.all(replicas.map(publishedBy))
    assert.equal(sets[0]?.length, 2)
    assert.deepEqual(sets[1], sets[0])
    assert.deepEqual(sets[2], sets[0])
    for (const issuing of replicas) {
      const token = await tokenOf(issuing)
      for (const publishing of replicas) {
        const url = new URL(`${await tenantUrl(publishing)}/discovery/keys`)
        const { payload } = await jwtVerify(token, createRemoteJWKSet(url))
        assert.match(payload.iss ?? '', /^https:\/\/issuer\.example\//)
      }
    }
  })

  it('reject a fourth replica with another key-encryption key, which changes nothing', async () => {
    const latest = await storage.directory.latest()
    const another = startIdentityProvider({
      databaseUrl,
      keyEncryptionKey: KeyEncryptionKey.generate().toBase64(),
      newAdministrator: 'yes',
    })
    await assert.rejects(another, { code: 'key_encryption_key_wrong', message: /Set the key / })
    assert.deepEqual(await storage.directory.latest(), latest)
  })

  it('use the database clock', async () => {
    const offsetMs = Date.now() - Number(await storage.clockMs())
    assert.ok(Math.abs(offsetMs) < 30_000, `${offsetMs} ms`)
  })

  it('stop signing with a revoked key and publishing it within a second (FL10)', async () => {
    const [revoked = ''] = await publishedBy(replicas[0])
    await keys.revoke(revoked, administrator)
    const lastMs = await everywhere(async (replica) => {
      const { kid } = decodeProtectedHeader(await tokenOf(replica))
      return kid !== revoked
    })
    assert.ok(lastMs <= effectiveEverywhereMs, `${lastMs} ms`)
    // A busy machine may delay the publication, which no request causes.
    await everywhere(async (replica) => !(await publishedBy(replica)).includes(revoked))
  })

  it('respond with 503 and Retry-After while the store is down, still publish keys, and recover (FL13)', async () => {
    const published = keys.published().map(({ kid }) => kid)
    await everywhere(async (replica) => String(await publishedBy(replica)) === String(published))
    await server.kill()
    await everywhere(async ({ url }) => (await requestToken(url, seededIn)).status === 503)
    // A replica notices the loss when it reads the store, and each endpoint reads at its own time.
    await everywhere(async ({ url }) => (await fetch(`${url}/readyz`)).status === 503)
    for (const replica of replicas) {
      const refused = await requestToken(replica.url, seededIn)
      const body = (await refused.json()) as Record<string, unknown>
      assert.equal(refused.status, 503, JSON.stringify(body.error_description))
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      assert.match(refused.headers.get('cache-control') ?? '', /no-store/)
      assert.equal(body.error, 'temporarily_unavailable')
      assert.match(String(body.error_description), /^AADSTS\d+: /)
      assert.equal((await fetch(`${replica.url}/readyz`)).status, 503)
      assert.deepEqual(await publishedBy(replica), published)
    }
    await server.resume()
    await everywhere(async ({ url }) => (await requestToken(url, seededIn)).status === 200)
  })

  it('refuse a secret within a second after its removal', async () => {
    const { clients } = await readSeeded(seededIn)
    const directory = patientStore(storage.directory)
    await directory.update((current) => {
      const client = current.applicationByAppId(clients[0].applicationId)
      assert.ok(client)
      return {
        changes: [put('application', { ...client, passwordCredentials: [] })],
        audit: [],
        result: undefined,
      }
    })
    const lastMs = await everywhere(
      async ({ url }) => (await requestToken(url, seededIn)).status === 401,
    )
    assert.ok(lastMs <= effectiveEverywhereMs, `${lastMs} ms`)
  })
})
