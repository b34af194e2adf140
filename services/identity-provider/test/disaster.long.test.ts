import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import pg from 'pg'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../src/signing/key-encryption-key.ts'
import { startInProcess } from '../src/startup/start-identity-provider.ts'
import { registrationsFile, requestToken } from './provider-process.ts'
import { fixtureEnvironment } from './startup/fixture-environment.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/guides/keys.md'), 'utf8')

const graphScope = 'https://graph.microsoft.com/.default'
const managementScope = 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6/.default'

const administratorIn = async (dataDir: string) =>
  parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))

/** Sends requests with one token of an administrator. */
async function apiOf(url: string, scope: string, administrator: NodeJS.Dict<string>) {
  const { TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '' } = administrator
  const response = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
    }),
  })
  const authorization = `Bearer ${(await response.json()).access_token}`
  const headers = { authorization, 'content-type': 'application/json' }
  return (path: string, method = 'GET', body?: object) =>
    fetch(`${url}/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

type Database = {
  readonly databaseUrl?: string
  readonly run: (statement: string) => Promise<unknown>
  readonly stop?: () => Promise<void>
}

const stores: Readonly<Record<string, (dataDir: string) => Promise<Database>>> = {
  SQLite: async (dataDir) => ({
    run: async (statement) => {
      using store = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
      store.exec(statement)
    },
  }),
  PostgreSQL: async () => {
    const server = await PostgresServer.start()
    const databaseUrl = await server.database()
    const run = async (statement: string) => {
      const client = new pg.Client(databaseUrl)
      await client.connect()
      await client.query(statement).finally(() => client.end())
    }
    return { databaseUrl, run, stop: () => server.stop() }
  },
}

for (const [kind, open] of Object.entries(stores))
  describe(`docs/guides/keys.md with ${kind}`, () => {
    const dataDir = freshFolder()
    let database: Database
    before(async () => {
      database = await open(dataDir)
    })
    after(async () => {
      await database.stop?.()
    })

    const start = async (options = {}) => {
      const { databaseUrl } = database
      const inFolder = {
        dataDir,
        registrations: registrationsFile,
        ...(databaseUrl && { databaseUrl }),
        ...options,
      }
      return startInProcess(inFolder, fixtureEnvironment)
    }
    const kidsOf = async (url: string) => {
      const { keys } = await (await fetch(`${url}/common/discovery/keys`)).json()
      return keys.map(({ kid }: { kid: string }) => kid)
    }

    it('recovers from a lost key-encryption key with new signing keys and the same registrations', async () => {
      const lost = await start()
      const before = await kidsOf(lost.url)
      await lost.stop()
      await rm(join(dataDir, 'key-encryption.key'))
      await assert.rejects(start(), { code: 'key_encryption_key_missing' })

      const statement = /greeting\.sqlite "(delete from signing_key)"/.exec(page)?.[1] ?? ''
      await database.run(statement)
      await using next = await start()
      const kids = await kidsOf(next.url)
      assert.ok(kids.length > 0 && kids.every((kid: string) => !before.includes(kid)))
      assert.equal((await requestToken(next.url, dataDir)).status, 200)
    })

    it('recovers from a leaked signing key: the server refuses its tokens and replaces both keys', async () => {
      const next = KeyEncryptionKey.generate().toBase64()
      {
        await using provider = await start()
        const verify = (token: string) =>
          jwtVerify(token, createRemoteJWKSet(new URL(`${provider.url}/common/discovery/keys`)))
        const tokenOf = async () =>
          (await (await requestToken(provider.url, dataDir)).json()).access_token
        const forged = await tokenOf()
        await verify(forged)
        const manage = await apiOf(provider.url, managementScope, await administratorIn(dataDir))
        const leaked = decodeProtectedHeader(forged).kid
        assert.equal((await manage(`management/keys/${leaked}/revoke`, 'POST')).status, 204)
        await assert.rejects(verify(forged), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
        await verify(await tokenOf())
        // The token of the administrator was of the revoked key too.
        const manageAgain = await apiOf(
          provider.url,
          managementScope,
          await administratorIn(dataDir),
        )
        const body = { keyEncryptionKey: next }
        assert.equal((await manageAgain('management/keys/reencrypt', 'POST', body)).status, 200)
      }
      await assert.rejects(start(), { code: 'key_encryption_key_wrong' })
      await rm(join(dataDir, 'key-encryption.key'))
      await using provider = await start({ keyEncryptionKey: next })
      assert.equal((await requestToken(provider.url, dataDir)).status, 200)
      await writeFile(join(dataDir, 'key-encryption.key'), next, { mode: 0o600 })
    })

    it('recovers from a leaked administrator secret: a new administrator removes the old one, whose token becomes useless', async () => {
      const leaked = await administratorIn(dataDir)
      await using provider = await start({ newAdministrator: 'yes' })
      const attacker = await apiOf(provider.url, graphScope, leaked)
      assert.equal((await attacker('v1.0/applications')).status, 200)
      const fresh = await administratorIn(dataDir)
      assert.notEqual(fresh.CLIENT_ID, leaked.CLIENT_ID)
      const graph = await apiOf(provider.url, graphScope, fresh)
      const removed = await graph(`v1.0/applications(appId='${leaked.CLIENT_ID}')`, 'DELETE')
      assert.equal(removed.status, 204)
      assert.equal((await attacker('v1.0/applications')).status, 401)
      const trash = 'v1.0/directory/deletedItems'
      const { value } = await (await graph(`${trash}/microsoft.graph.application`)).json()
      const [{ id }] = value
      assert.equal((await graph(`${trash}/${id}`, 'DELETE')).status, 204)
      assert.equal((await graph(`${trash}/${id}/restore`, 'POST')).status, 404)
    })

    it('recovers from a leaked client secret: the server refuses it and accepts the new one', async () => {
      await using provider = await start()
      const fresh = await administratorIn(dataDir)
      const graph = await apiOf(provider.url, graphScope, fresh)
      const path = `v1.0/applications(appId='${fresh.CLIENT_ID}')`
      const { id, passwordCredentials } = await (await graph(path)).json()
      const application = `v1.0/applications/${id}`
      const created = await graph(`${application}/addPassword`, 'POST', {})
      const { secretText: CLIENT_SECRET } = await created.json()
      const [{ keyId }] = passwordCredentials
      const removed = await graph(`${application}/removePassword`, 'POST', { keyId })
      assert.equal(removed.status, 204)
      const statusOf = async (client: NodeJS.Dict<string>) =>
        (await (await apiOf(provider.url, graphScope, client))(path)).status
      assert.deepEqual(
        [await statusOf(fresh), await statusOf({ ...fresh, CLIENT_SECRET })],
        [401, 200],
      )
    })

    // A file has no password.
    const ofPostgres = kind === 'PostgreSQL' ? it : () => undefined
    ofPostgres(
      'recovers from a leaked database password: the open sessions end, and tokens are issued',
      async () => {
        await using provider = await start()
        const steps = /SQL `(select pg_terminate_backend.*)`/.exec(page)?.[1] ?? ''
        assert.notEqual(steps, '')
        await database.run(steps.replace("'greeting'", "'postgres'"))
        const issued = async (): Promise<number> => {
          const { status } = await requestToken(provider.url, dataDir)
          if (status === 200) return status
          assert.equal(status, 503)
          await setTimeout(50)
          return issued()
        }
        assert.equal(await issued(), 200)
      },
    )
  })
