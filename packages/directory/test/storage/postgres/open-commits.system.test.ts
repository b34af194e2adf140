import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { patientStore } from '../../../../../test/fixtures/directory/patient-store.ts'
import { application, guid } from '../../../../../test/fixtures/directory/sample.ts'
import {
  type PostgresDatabases,
  postgresDatabases,
} from '../../../../../test/fixtures/postgres-databases.ts'
import type { Known } from '../../../src/live/commit.ts'
import { DirectoryStore } from '../../../src/live/directory-store.ts'
import { put } from '../../../src/model/directory-change.ts'
import { openStorage, type Storage } from '../../../src/storage/storage.ts'
import { commitOn, withTenants } from '../tenant-commits-conformance.ts'

const [one, other] = [guid(0x1000), guid(0x1001)]
const inTenant = (tenantId: string, displayName: string) =>
  put('application', application({ id: tenantId, tenantId, appId: tenantId, displayName }))

describe("a commit in PostgreSQL while another tenant's commit is open", () => {
  let server: PostgresDatabases
  let template: string
  let databaseUrl: string
  let storage: Storage
  let base: Known

  before(async () => {
    const { STORAGE_TEST_URL: url, POSTGRES_PROGRAMS: release } = process.env
    server = await postgresDatabases(url, release)
    template = await server.database()
    await (await openStorage({ dataDir: '', databaseUrl: template })).close()
  })
  after(async () => {
    await storage.close()
    await server.stop()
  })
  beforeEach(async () => {
    await storage?.close()
    databaseUrl = await server.database(template)
    const open = () => openStorage({ dataDir: '', databaseUrl })
    ;({ storage, base } = await withTenants(async () => ({ open })))
  })

  /** Commits to one tenant, and keeps the transaction open until the function has ended. */
  const whileOpen = (use: () => Promise<void>, outcome: 'written' | 'given up' = 'written') =>
    storage.directory.exclusively([one], async (log) => {
      await log.commit(base, 'open', [inTenant(one, 'open')], [])
      await use()
      if (outcome === 'given up') throw new TypeError('given up')
    })

  it('waits for neither the open commit nor its lock, and has a higher number', async () => {
    await whileOpen(async () => {
      const commit = await commitOn(storage, base, inTenant(other, 'early'))
      assert.notEqual(commit, 'conflict')
      const { latest } = await storage.directory.changesAfter(base)
      assert.deepEqual([latest.revision, latest.missing], [base.revision + 2, [base.revision + 1]])
    })
  })

  it('stays separate from the open commit, so that only the change of the same tenant waits', async () => {
    const store = patientStore(storage.directory)
    await store.refresh()
    const change = (tenantId: string) =>
      store.update(
        () => ({ changes: [inTenant(tenantId, 'changed')], audit: [], result: tenantId }),
        tenantId,
      )
    let waiting: Promise<string> | undefined
    await whileOpen(async () => {
      // While the first is written, the others wait for the next commit.
      const first = change(other)
      waiting = change(one)
      assert.deepEqual(await Promise.all([first, change(other)]), [other, other])
    })
    assert.equal(await waiting, one)
    assert.equal((await store.read((all) => all.application(one)))?.displayName, 'changed')
  })

  it('reaches followers first, and the open commit follows once it is written', async () => {
    const store = patientStore(storage.directory)
    const nameOf = (id: string) => store.read((all) => all.application(id)?.displayName)
    assert.equal(await nameOf(one), undefined)
    await whileOpen(async () => {
      await commitOn(storage, base, inTenant(other, 'early'))
      await store.refresh()
      assert.deepEqual([await nameOf(one), await nameOf(other)], [undefined, 'early'])
    })
    await store.refresh()
    assert.deepEqual([await nameOf(one), await nameOf(other)], ['open', 'early'])
  })

  it('causes a conflict later if a decision did not include the open commit', async () => {
    let known: Known = base
    await whileOpen(async () => {
      await commitOn(storage, base, inTenant(other, 'early'))
      known = (await storage.directory.changesAfter(base)).latest
    })
    assert.equal(await commitOn(storage, known, inTenant(one, 'late')), 'conflict')
    assert.notEqual(await commitOn(storage, known, inTenant(other, 'late')), 'conflict')
  })

  it('does not advance a list of changes, so that the next list has both commits', async () => {
    const query = { kind: 'application', ids: undefined, after: undefined, limit: 9 } as const
    const list = (tenantId: string, since: Known) =>
      storage.directory.listChanges({ ...query, tenantId, since, until: undefined })
    let until: Known = base
    await whileOpen(async () => {
      await commitOn(storage, base, inTenant(other, 'early'))
      const page = await list(other, base)
      assert.deepEqual([page?.objects.length, page?.until.revision], [0, base.revision])
      until = page?.until ?? base
    })
    assert.equal((await list(one, until))?.objects.length, 1)
    assert.equal((await list(other, until))?.objects.length, 1)
  })

  it('does not hide the open commit from a follower that starts meanwhile', async () => {
    await whileOpen(async () => {
      await commitOn(storage, base, inTenant(other, 'early'))
      const known = await storage.directory.latest()
      assert.deepEqual(known.missing, [base.revision + 1])
      base = known
    }).catch(() => undefined)
    const { changes } = await storage.directory.changesAfter(base)
    assert.deepEqual(
      changes?.map(({ id }) => id),
      [one],
    )
  })

  it('is compared only with the newest commits, even at a start', async () => {
    let known: Known = base
    for (let number = 0; number < 12; number += 1) {
      await commitOn(storage, known, inTenant(one, `name ${number}`))
      known = (await storage.directory.changesAfter(known)).latest
    }
    const newest = Array.from({ length: 8 }, (_, index) => known.revision - index)
    for (const { recent } of [known, await storage.directory.latest()])
      assert.deepEqual(
        recent?.map(({ revision }) => revision),
        newest,
      )
  })

  it('reveals a rolled-back store, even if only the lower number is missing (AS37)', async () => {
    await commitOn(storage, base, inTenant(one, 'lower'))
    await commitOn(storage, base, inTenant(other, 'higher'))
    const known = (await storage.directory.changesAfter(base)).latest
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query(`delete from commit_mark where revision = ${base.revision + 1}`)
    await client.end()
    assert.equal((await storage.directory.changesAfter(known)).hasKnown, false)
  })

  it('makes followers query a rolled-back number for only a few seconds', async () => {
    let nowMs = 0
    const store = new DirectoryStore({ log: storage.directory, monotonicNowMs: () => nowMs })
    await store.refresh()
    await whileOpen(async () => {}, 'given up').catch(() => undefined)
    await commitOn(storage, base, inTenant(other, 'after it'))
    const missing = async () => (await storage.directory.changesAfter(base)).latest.missing
    assert.deepEqual(await missing(), [base.revision + 1])
    for (const at of [0, 1900, 2100]) {
      nowMs = at
      await store.refresh()
    }
    for (let attempt = 0; (await missing())?.length !== 0; attempt += 1)
      assert.ok(attempt < 1000, 'the number is given up')
    await store.refresh()
    assert.equal(store.revision, base.revision + 2)
  })

  it('causes a conflict, but is not lost, if its number was abandoned', async () => {
    const next = base.revision + 1
    await storage.directory.giveUp([next])
    const outcome = await commitOn(storage, base, inTenant(one, 'later'))
    assert.deepEqual(outcome === 'conflict' ? outcome : outcome.revision, 'conflict')
    const again = await storage.directory.latest()
    assert.notEqual(await commitOn(storage, again, inTenant(one, 'later')), 'conflict')
    assert.equal((await storage.directory.changesAfter(base)).changes?.length, 1)
  })
})
