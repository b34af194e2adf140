import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { put } from '@greeting/directory'
import { openStorage } from '@greeting/directory/storage'
import { patientStore } from '../../../test/fixtures/directory/patient-store.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../src/signing/key-encryption-key.ts'
import type { Service } from '../src/startup/service.ts'
import {
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
} from './endpoints/client-certificate.ts'
import { startHere } from './provider-here.ts'
import { readSeeded, requestToken } from './provider-process.ts'

const awayMs = 3000
const authUrl = 'http://region.localhost:4000'
const backWithinMs = 8000

/** Waits until a question has this answer. */
async function until(what: string, isSo: () => Promise<boolean>, withinMs = backWithinMs) {
  const startedMs = performance.now()
  while (!(await isSo())) {
    assert.ok(performance.now() - startedMs < withinMs, `${what} within ${withinMs} ms`)
    await setTimeout(20)
  }
}

/** Sends requests of the administrator to Microsoft Graph. */
async function graphOf({ url }: Service, dataDir: string) {
  const settings = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))
  const answer = await fetch(`${url}/${settings.TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: settings.CLIENT_ID ?? '',
      client_secret: settings.CLIENT_SECRET ?? '',
      scope: 'https://graph.microsoft.com/.default',
    }),
  })
  const { access_token } = (await answer.json()) as { readonly access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  return (method: string, path: string, body?: object) =>
    fetch(`${url}/v1.0/applications${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
}

/** The line of a region to the primary. While it is cut, packets are lost and nothing is closed. */
async function startLine(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('data', (chunk) => isCut || other.write(chunk))
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        if (!isCut) other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
    },
    mend: () => {
      isCut = false
      for (const socket of sockets) socket.destroy()
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('a region with a standby whose primary becomes unavailable', () => {
  const folder = freshFolder()
  let primary: PostgresServer
  let standby: PostgresServer
  /** The database of the region for used assertions. */
  let region: PostgresServer
  let certificate: ClientCertificate
  let line: Awaited<ReturnType<typeof startLine>>
  /** One that made the store, and one that has served no client. */
  let seeded: Service
  let other: Service

  before(async () => {
    primary = await PostgresServer.start()
    const databaseUrl = await primary.database()
    const name = new URL(databaseUrl).pathname
    const environment = {
      KEY_ENCRYPTION_KEY: KeyEncryptionKey.generate().toBase64(),
      HTTPS_PORT: 'off',
      DATABASE_URL: databaseUrl,
    }
    const first = await startHere({ ...environment, DATA_DIR: join(folder, 'first') })
    standby = await primary.standby()
    await first.stop()
    const storage = await openStorage({ dataDir: '', databaseUrl })
    const { clients } = await readSeeded(join(folder, 'first'))
    certificate = await clientCertificate()
    await patientStore(storage.directory).update((directory) => {
      const client = directory.applicationByAppId(clients[0].applicationId)
      assert.ok(client)
      const changes = [put('application', { ...client, keyCredentials: [certificate.credential] })]
      return { changes, audit: [], result: undefined }
    })
    await storage.close()
    region = await PostgresServer.start()
    line = await startLine(primary.port)
    const withStandby = {
      ...environment,
      DATABASE_URL: Object.assign(new URL(databaseUrl), { port: String(line.port) }).href,
      AUTH_URL: authUrl,
      ASSERTION_USE: 'once',
      ASSERTION_DATABASE_URL: await region.database(),
      DATABASE_READ_URL: `postgres://postgres@127.0.0.1:${standby.port}${name}`,
    }
    seeded = await startHere({ ...withStandby, DATA_DIR: join(folder, 'first') })
    other = await startHere({ ...withStandby, DATA_DIR: join(folder, 'other') })
  })

  after(async () => {
    await Promise.all([seeded.stop(), other.stop()])
    line.stop()
    await Promise.all([standby.stop(), primary.stop(), region.stop()])
  })

  const stateOf = async ({ url }: Service) => {
    const answer = await fetch(`${url}/readyz`)
    return { code: answer.status, ...((await answer.json()) as { standby: { isUsed: boolean } }) }
  }

  /** Waits until both servers use the primary. One that never noticed its end has to connect again. */
  async function untilBack() {
    for (const server of [seeded, other]) {
      const graph = await graphOf(server, join(folder, 'first'))
      await until('the primary answers', async () => (await graph('GET', '?$top=1')).status === 200)
      await until('the primary is used', async () => !(await stateOf(server)).standby.isUsed)
    }
  }

  it('fails no token request, refuses changes, and accepts them once the primary is available again', async (test: TestContext) => {
    const dataDir = join(folder, 'first')
    const graph = await graphOf(seeded, dataDir)
    const create = async (displayName: string) => {
      const { headers, status } = await graph('POST', '', { displayName })
      return { status, isRetried: headers.has('retry-after') }
    }
    assert.deepEqual(await create('before'), { status: 201, isRetried: false })
    assert.deepEqual((await stateOf(seeded)).standby.isUsed, false)
    assert.equal((await requestToken(seeded.url, dataDir)).status, 200)
    await primary.untilReplayed()
    await primary.kill()

    const statuses: number[] = []
    const startedMs = performance.now()
    while (performance.now() - startedMs < awayMs)
      for (const { url } of [seeded, other])
        statuses.push((await requestToken(url, dataDir)).status)
    test.diagnostic(`${statuses.length} tokens while the primary was away`)
    assert.deepEqual(new Set(statuses), new Set([200]))

    assert.deepEqual(await create('while it was away'), { status: 503, isRetried: true })
    for (const server of [seeded, other]) {
      const { code, standby: state } = await stateOf(server)
      assert.deepEqual([code, state.isUsed], [200, true])
    }

    await primary.resume()
    await untilBack()
    assert.deepEqual(await create('after'), { status: 201, isRetried: false })
    const { value } = (await (await graph('GET', '?$select=displayName')).json()) as {
      readonly value: readonly { readonly displayName: string }[]
    }
    const names = value.map(({ displayName }) => displayName)
    assert.ok(names.includes('before') && names.includes('after'))
    assert.ok(!names.includes('while it was away'))
    assert.equal((await requestToken(other.url, dataDir)).status, 200)
  })

  it('fails no token request while the connection to the primary is cut', async (test: TestContext) => {
    const dataDir = join(folder, 'first')
    line.cut()
    const statuses: number[] = []
    const startedMs = performance.now()
    try {
      while (performance.now() - startedMs < awayMs)
        for (const { url } of [seeded, other])
          statuses.push((await requestToken(url, dataDir)).status)
    } finally {
      line.mend()
    }
    test.diagnostic(`${statuses.length} tokens while the line was cut`)
    assert.deepEqual(new Set(statuses), new Set([200]))
    await untilBack()
  })

  it('accepts an assertion only once across its servers while the primary is unavailable', async () => {
    const { tenantId, apis, clients } = await readSeeded(join(folder, 'first'))
    const client_id = clients[0].applicationId
    const path = `/${tenantId}/oauth2/v2.0/token`
    const proofOf = async () => {
      const seconds = Math.floor(Date.now() / 1000)
      const times = { nbf: seconds, exp: seconds + 300 }
      const claims = { aud: `${authUrl}${path}`, iss: client_id, sub: client_id, ...times }
      const { client_secret: _, ...proof } = asProof(await assertionOf(certificate, { claims }))
      return proof
    }
    const tokenFor = async ({ url }: Service, proof: object) => {
      const scope = `${apis[0].identifierUri}/.default`
      const body = { grant_type: 'client_credentials', client_id, scope, ...proof }
      return (await fetch(url + path, { method: 'POST', body: new URLSearchParams(body) })).status
    }
    await primary.untilReplayed()
    await primary.kill()
    await until('the standby is used', async () => (await stateOf(other)).standby.isUsed)
    const proof = await proofOf()
    const statuses = [await tokenFor(seeded, proof), await tokenFor(other, proof)]
    assert.deepEqual(statuses, [200, 401])
    assert.equal(await tokenFor(other, await proofOf()), 200)
    await primary.resume()
    await untilBack()
  })

  it('refuses a withdrawn secret with the standby, even at a server that did not process the removal', async () => {
    const dataDir = join(folder, 'first')
    const { clients } = await readSeeded(dataDir)
    const graph = await graphOf(seeded, dataDir)
    const path = `(appId='${clients[0].applicationId}')`
    const { passwordCredentials } = (await (await graph('GET', path)).json()) as {
      readonly passwordCredentials: readonly { readonly keyId: string }[]
    }
    for (const { keyId } of passwordCredentials) {
      const removed = await graph('POST', `${path}/removePassword`, { keyId })
      assert.equal(removed.status, 204)
    }
    await primary.untilReplayed()
    await primary.kill()
    await until('the standby is used', async () => (await stateOf(other)).standby.isUsed)
    for (const { url } of [seeded, other])
      assert.equal((await requestToken(url, dataDir)).status, 401)
    await primary.resume()
    await untilBack()
    for (const { url } of [seeded, other])
      assert.equal((await requestToken(url, dataDir)).status, 401)
  })
})
