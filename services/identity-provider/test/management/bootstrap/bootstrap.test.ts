import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import {
  graphAppId,
  put,
  secretSha256,
  serverManagementAppId,
  systemRuntime,
} from '@greeting/directory'
import { DirectoryStore, StorageUnavailableError } from '@greeting/directory/live'
import { MemoryDirectoryLog } from '../../../../../test/fixtures/directory/memory-directory-log.ts'
import { guid } from '../../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { type BootstrapOptions, bootstrap } from '../../../src/management/bootstrap/bootstrap.ts'
import { apisOfEveryTenant } from '../../../src/management/privileges/built-in-apis.ts'
import { graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { contoso, fabrikam } from '../sample-graph.ts'

const dayMs = 86_400_000

describe('the first start', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = freshFolder()
  })

  const place = { authUrl: 'https://login.example', graphUrl: 'https://login.example' }
  const start = (
    log: MemoryDirectoryLog,
    now = new Date('2026-02-01T00:00:00Z'),
    endpoints: Partial<BootstrapOptions> = place,
  ) => {
    const store = new DirectoryStore({ log })
    const options = {
      store,
      dataDir,
      ...place,
      ...endpoints,
      firstTenant: contoso,
      runtime: { ...systemRuntime, now: () => now },
    }
    return { store, run: () => bootstrap(options) }
  }

  const settings = async () =>
    parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8')) as Record<string, string>

  it('creates an administrator, and writes its credentials to a file with mode 0600', async () => {
    const log = new MemoryDirectoryLog()
    const { run, store } = start(log)
    assert.equal(await run(), true)
    const { AUTH_URL, TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '', GRAPH_URL } = await settings()
    assert.deepEqual(
      [AUTH_URL, TENANT_ID, GRAPH_URL],
      ['https://login.example', contoso.id, 'https://login.example'],
    )
    const { mode } = await stat(join(dataDir, 'administrator.env'))
    assert.equal(mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dataDir), ['administrator.env'])

    const directory = await wholeDirectory(store)
    const application = directory.applicationByAppId(CLIENT_ID)
    assert.deepEqual(
      application?.passwordCredentials.map(({ secretSha256 }) => secretSha256),
      [secretSha256(CLIENT_SECRET)],
    )
    for (const { resourceAccess } of application?.requiredResourceAccess ?? assert.fail()) {
      assert.notDeepEqual(resourceAccess, [])
    }
    const client = directory.servicePrincipalByAppId(contoso.id, CLIENT_ID)
    assert.deepEqual(
      directory
        .assignmentsOf(client?.id ?? '')
        .map(({ resourceId }) => directory.servicePrincipal(resourceId)?.appId)
        .toSorted(),
      [
        ...Object.keys(graphRoles).map(() => graphAppId),
        ...Object.keys(serverRoles).map(() => serverManagementAppId),
      ],
    )
    assert.partialDeepStrictEqual(log.audit, [{ actor: 'system', action: 'administrator.create' }])
    assert.ok(!JSON.stringify(log.audit).includes(CLIENT_SECRET))
  })

  it('is the only start that changes the directory', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const before = await log.changesAfter()
    const written = await settings()
    assert.equal(await start(log).run(), false)
    assert.deepEqual(await log.changesAfter(), before)
    assert.deepEqual(await settings(), written)
  })

  it('is not repeated for another server URL, but updates the file', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const before = await settings()
    const moved = { authUrl: 'https://other.example', graphUrl: 'https://other.example/graph' }
    assert.equal(await start(log, undefined, moved).run(), false)
    const [AUTH_URL, GRAPH_URL] = [moved.authUrl, moved.graphUrl]
    assert.deepEqual(await settings(), { ...before, AUTH_URL, GRAPH_URL })
    assert.equal((await stat(join(dataDir, 'administrator.env'))).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dataDir), ['administrator.env'])
  })

  it('completes 1,200 tenants in parts, and a later start loads none of them into memory', async () => {
    const logOf = async (tenants: number) => {
      const log = new MemoryDirectoryLog()
      const more = Array.from({ length: tenants }, (_, index) =>
        put('tenant', { ...fabrikam, id: guid(0x1000 + index), domains: [] }),
      )
      await start(log).store.update(() => ({
        changes: [put('tenant', contoso), ...more],
        audit: [],
        result: undefined,
      }))
      assert.equal(await start(log).run(), true)
      return log
    }
    const many = await logOf(1200)
    assert.deepEqual(many.directory.surveyTenants([...apisOfEveryTenant]).lacking, [])
    assert.equal(many.audit.filter(({ action }) => action === 'administrator.create').length, 1)
    const weightAfterStart = async (log: MemoryDirectoryLog) => {
      const { run, store } = start(log)
      const { revision } = log.directory
      assert.equal(await run(), false)
      assert.equal(log.directory.revision, revision)
      return store.cacheWeight
    }
    assert.equal(await weightAfterStart(many), await weightAfterStart(await logOf(1)))
  })

  it('adds missing records to every tenant of an existing directory', async () => {
    const log = new MemoryDirectoryLog()
    const { run, store } = start(log)
    await store.update(() => ({
      changes: [put('tenant', fabrikam), put('tenant', contoso)],
      audit: [],
      result: undefined,
    }))
    assert.equal(await run(), true)
    const directory = await wholeDirectory(store)
    assert.equal([...directory.tenants()].length, 2)
    for (const { id } of [contoso, fabrikam])
      assert.ok(directory.servicePrincipalByAppId(id, graphAppId))
    assert.ok(
      directory.servicePrincipalByAppId(contoso.id, serverManagementAppId),
      'the one that came first',
    )
    assert.equal(directory.servicePrincipalByAppId(fabrikam.id, serverManagementAppId), undefined)
    assert.equal((await settings()).TENANT_ID, contoso.id)
  })

  it('creates one administrator even if several servers start at once', async () => {
    const log = new MemoryDirectoryLog()
    const results = await Promise.all([start(log).run(), start(log).run(), start(log).run()])
    assert.deepEqual(results.toSorted(), [false, false, true])
    const { CLIENT_ID, CLIENT_SECRET = '' } = await settings()
    const { store } = start(log)
    const administrators = [...(await wholeDirectory(store)).applicationsOf(contoso.id)]
    assert.deepEqual(
      administrators.map(({ appId }) => appId),
      [CLIENT_ID],
    )
    assert.deepEqual(
      administrators[0]?.passwordCredentials[0]?.secretSha256,
      secretSha256(CLIENT_SECRET),
    )
    assert.deepEqual(await readdir(dataDir), ['administrator.env'])
  })

  it('is completed by the next start if it stopped before it wrote the file', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const text = await readFile(join(dataDir, 'administrator.env'), 'utf8')
    await rm(join(dataDir, 'administrator.env'))
    await writeFile(join(dataDir, `administrator.env.${crypto.randomUUID()}`), text)
    assert.equal(await start(log).run(), false)
    assert.equal(await readFile(join(dataDir, 'administrator.env'), 'utf8'), text)
    assert.deepEqual(await readdir(dataDir), ['administrator.env'])
  })

  it('keeps the staged file of a server that starts at the same time, and removes an old one', async () => {
    const [young, old] = [1, 2].map(() => `administrator.env.${crypto.randomUUID()}`)
    for (const name of [young, old]) await writeFile(join(dataDir, name ?? ''), 'CLIENT_ID=x\n')
    const now = new Date()
    await utimes(join(dataDir, old ?? ''), now, new Date(+now - 61 * 60_000))
    await start(new MemoryDirectoryLog(), now).run()
    assert.deepEqual((await readdir(dataDir)).toSorted(), ['administrator.env', young])
  })

  it('keeps the secret in a staged file when the store refuses the change', async () => {
    const log = new MemoryDirectoryLog()
    log.commit = async () => {
      throw new StorageUnavailableError('gone')
    }
    await assert.rejects(start(log).run(), StorageUnavailableError)
    const drafts = await readdir(dataDir)
    assert.equal(drafts.length, 1, 'whether the change was made is unknown, so the secret is kept')
  })

  it('creates another administrator if an operator lost the secret or needs a new role', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const { CLIENT_ID = '' } = await settings()
    const rolesOf = async (appId: string) => {
      const directory = await wholeDirectory(start(log).store)
      const client = directory.servicePrincipalByAppId(contoso.id, appId)
      return directory.assignmentsOf(client?.id ?? '')
    }
    const roleId = graphRoles['Policy.ReadWrite.ApplicationConfiguration'].id
    const added = (await rolesOf(CLIENT_ID)).find(({ appRoleId }) => appRoleId === roleId)
    const removal = { kind: 'appRoleAssignment', id: added?.id ?? '', value: null } as const
    await start(log).store.update(() => ({ changes: [removal], audit: [], result: undefined }))
    assert.equal(await start(log).run(), false)
    const { run, store } = start(log, undefined, { anotherAdministrator: true })
    assert.equal(await run(), true)
    const { CLIENT_ID: other = '' } = await settings()
    assert.notEqual(other, CLIENT_ID)
    const has = async (appId: string) =>
      (await rolesOf(appId)).some(({ appRoleId }) => appRoleId === roleId)
    assert.deepEqual([await has(CLIENT_ID), await has(other)], [false, true])
    assert.equal([...(await wholeDirectory(store)).applicationsOf(contoso.id)].length, 2)
  })

  it('creates no other administrator while a secret of the service principal is valid', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const { store } = start(log)
    const { CLIENT_ID = '' } = await settings()
    const whole = await wholeDirectory(store)
    const application = whole.applicationByAppId(CLIENT_ID)
    const client = whole.servicePrincipalByAppId(contoso.id, CLIENT_ID)
    assert.ok(application && client)
    const { passwordCredentials } = application
    const changes = [
      put('application', { ...application, passwordCredentials: [] }),
      put('servicePrincipal', { ...client, passwordCredentials }),
    ]
    await store.update(() => ({ changes, audit: [], result: undefined }))
    await start(log).run()
    assert.equal((await settings()).CLIENT_ID, CLIENT_ID)
    assert.equal([...(await wholeDirectory(store)).applicationsOf(contoso.id)].length, 1)
  })

  it('creates no other administrator while a clock may be wrong', async () => {
    const log = new MemoryDirectoryLog()
    await start(log).run()
    const before = await settings()
    const wrong = new Date(+new Date('2026-02-01') + 800 * dayMs)
    const latestAgreed = new Date('2026-02-02')
    assert.equal(await start(log, wrong, { latestAgreed }).run(), false)
    assert.deepEqual(await settings(), before)
  })

  const losses = {
    'when its secret has expired': async () => new Date(+new Date('2026-02-01') + 800 * dayMs),
    'when it was deleted': async (log: MemoryDirectoryLog) => {
      const { store } = start(log)
      for (const one of (await wholeDirectory(store)).applicationsOf(contoso.id))
        await store.update(() => ({
          changes: [put('application', { ...one, deletedDateTime: new Date() })],
          audit: [],
          result: undefined,
        }))
      return undefined
    },
    'when it was disabled': async (log: MemoryDirectoryLog) => {
      const { store } = start(log)
      const { CLIENT_ID = '' } = await settings()
      const client = (await wholeDirectory(store)).servicePrincipalByAppId(contoso.id, CLIENT_ID)
      assert.ok(client)
      await store.update(() => ({
        changes: [put('servicePrincipal', { ...client, accountEnabled: false })],
        audit: [],
        result: undefined,
      }))
      return undefined
    },
  }
  for (const [name, lose] of Object.entries(losses))
    it(`creates another administrator ${name}`, async () => {
      const log = new MemoryDirectoryLog()
      await start(log).run()
      const { CLIENT_ID } = await settings()
      const now = await lose(log)
      assert.equal(await start(log, now).run(), true)
      assert.notEqual((await settings()).CLIENT_ID, CLIENT_ID)
    })
})
