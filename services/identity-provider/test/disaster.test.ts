import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { startIdentityProvider } from '../src/start-identity-provider.ts'
import { registrationsFile, requestToken } from './provider-process.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/guides/disaster.md'), 'utf8')

describe('docs/guides/disaster.md', () => {
  let dataDir: string
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'greeting-disaster-'))
  })
  after(() => rm(dataDir, { recursive: true }))

  const start = (options = {}) =>
    startIdentityProvider({ dataDir, registrations: registrationsFile, ...options })
  const kidsOf = async (url: string) => {
    const { keys } = await (await fetch(`${url}/common/discovery/keys`)).json()
    return keys.map(({ kid }: { kid: string }) => kid)
  }

  it('recovers from a lost key-encryption key: new keys, the same registrations', async () => {
    const lost = await start()
    const before = await kidsOf(lost.url)
    await lost.stop()
    await rm(join(dataDir, 'key-encryption.key'))
    await assert.rejects(start(), { code: 'key_encryption_key_missing' })

    const statement = /greeting\.sqlite "(delete from signing_key)"/.exec(page)?.[1] ?? ''
    const store = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
    store.exec(statement)
    store.close()
    await using next = await start()
    const kids = await kidsOf(next.url)
    assert.ok(kids.length > 0 && kids.every((kid: string) => !before.includes(kid)))
    assert.equal((await requestToken(next.url, dataDir)).status, 200)
  })

  it('recovers from a leaked administrator: a new one removes it, and its token opens nothing', async () => {
    const settings = async () =>
      parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))
    const graphOf = async (url: string, of: NodeJS.Dict<string>) => {
      const response = await fetch(`${url}/${of.TENANT_ID}/oauth2/v2.0/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', scope: 'https://graph.microsoft.com/.default' },
          ...{ client_id: of.CLIENT_ID ?? '', client_secret: of.CLIENT_SECRET ?? '' },
        }),
      })
      const authorization = `Bearer ${(await response.json()).access_token}`
      return (path: string, method = 'GET') =>
        fetch(`${url}/v1.0/${path}`, { method, headers: { authorization } })
    }
    const leaked = await settings()
    await using provider = await start({ newAdministrator: 'yes' })
    const attacker = await graphOf(provider.url, leaked)
    assert.equal((await attacker('applications')).status, 200)
    const fresh = await settings()
    assert.notEqual(fresh.CLIENT_ID, leaked.CLIENT_ID)
    const graph = await graphOf(provider.url, fresh)
    const removed = await graph(`applications(appId='${leaked.CLIENT_ID}')`, 'DELETE')
    assert.equal(removed.status, 204)
    assert.equal((await attacker('applications')).status, 401)
  })
})
