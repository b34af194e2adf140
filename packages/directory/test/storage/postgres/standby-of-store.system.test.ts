import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { delegatingLog } from '../../../../../test/fixtures/directory/delegating-log.ts'
import { patientStore } from '../../../../../test/fixtures/directory/patient-store.ts'
import { tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { PostgresServer } from '../../../../../test/fixtures/postgres-server.ts'
import type { Commit } from '../../../src/live/commit.ts'
import { DirectoryStore } from '../../../src/live/directory-store.ts'
import { StandbyReads } from '../../../src/live/standby-reads.ts'
import { StorageUnavailableError } from '../../../src/live/storage-unavailable-error.ts'
import type { Directory } from '../../../src/model/directory.ts'
import { put } from '../../../src/model/directory-change.ts'
import { openStandby, openStorage, type Storage } from '../../../src/storage/storage.ts'

/** Each server begins an hour after the one before. */
let start = Date.parse('2030-01-01T00:00:00Z')
const nameOf = (directory: Directory) => directory.tenant(tenant().id)?.displayName
const away = () => Promise.reject(new StorageUnavailableError('The store does not answer.'))

let primary: PostgresServer
let standby: PostgresServer
let databaseUrl: string
let storage: Storage
const others: PostgresServer[] = []

/** The same database at another server. */
const at = ({ port }: PostgresServer) =>
  Object.assign(new URL(databaseUrl), { port: String(port) }).href

const write = (to: Storage, displayName: string) =>
  patientStore(to.directory).update(() => ({
    changes: [put('tenant', tenant({ displayName }))],
    audit: [],
    result: undefined,
  }))

before(async () => {
  primary = await PostgresServer.start()
  databaseUrl = await primary.database()
  storage = await openStorage({ dataDir: '', databaseUrl })
  await write(storage, 'Contoso')
  await storage.beat(new Date(start - 5000))
  standby = await primary.standby()
})
after(async () => {
  await storage.close()
  for (const server of [standby, ...others, primary]) await server.stop()
})

/** A server with a limit of 10 s and a standby, in a time of its own. */
async function serverWith(url: string) {
  let [ms, isCut] = [0, false]
  start += 3_600_000
  const cut = { latest: away, changesAfter: away, commit: away }
  const log = delegatingLog(() =>
    isCut ? delegatingLog(() => storage.directory, cut) : storage.directory,
  )
  const monotonicNowMs = () => ms
  const directory = new DirectoryStore({ log, monotonicNowMs })
  const opened = await openStandby(url)
  const reports: object[] = []
  const reversals: (readonly Commit[])[] = []
  const reads = new StandbyReads({
    directory,
    log,
    lastBeat: (known) => (isCut ? away() : storage.lastBeat(known)),
    standby: opened,
    maxStalenessSeconds: 10,
    now: () => new Date(start + ms),
    monotonicNowMs,
    report: (fields) => reports.push(fields),
    onReversal: (...commits) => reversals.push(commits),
  })
  const to = async (laterMs: number, isGone = false) => {
    ms = laterMs
    isCut = isGone
    if (!isCut) await directory.refresh()
    await reads.watch()
  }
  await storage.beat(new Date(start), -60_000)
  await directory.refresh()
  await reads.compare()
  return { reads, reports, reversals, to, close: () => opened[Symbol.asyncDispose]() }
}

const beatAt = (store: Storage, seconds: number) => store.beat(new Date(start + seconds * 1000))

describe('a store in PostgreSQL with a standby for reads', () => {
  it('is read from its standby while the standby receives heartbeats of other servers', async () => {
    await primary.untilReplayed()
    const { reads, to, close } = await serverWith(at(standby))
    await to(500)
    await beatAt(storage, 25)
    await primary.untilReplayed()
    await to(26_000, true)
    assert.equal(await reads.read(nameOf), 'Contoso')
    await to(40_000, true)
    await assert.rejects(async () => reads.read(nameOf), /it is 15 s behind/)
    await close()
  })

  const copies: readonly [string, () => Promise<string>][] = [
    [
      'a clone with its own servers',
      async () => {
        const clone = await primary.standby()
        others.push(clone)
        await clone.promote()
        return at(clone)
      },
    ],
    [
      'a copy in another database',
      async () => {
        await storage.close()
        const copy = await primary.database(databaseUrl)
        storage = await openStorage({ dataDir: '', databaseUrl })
        return copy
      },
    ],
  ]
  for (const [what, copyOf] of copies)
    for (const [when, beatsBefore] of [
      ['the connection failed', true],
      ['any comparison', false],
    ] as const)
      it(`is not read from ${what} beyond the age limit if its servers wrote before ${when}`, async () => {
        const url = await copyOf()
        const own = await openStorage({ dataDir: '', databaseUrl: url })
        const { reads, reports, to, close } = await serverWith(url)
        await to(500)
        if (beatsBefore) {
          await beatAt(own, 6)
          await to(7000)
          await reads.compare()
        }
        await beatAt(own, 25)
        await to(26_000, true)
        await assert.rejects(async () => reads.read(nameOf), /does not follow this store/)
        const reasons = reports.map((one) => 'reason' in one && one.reason)
        assert.equal(reasons.includes('it does not follow this store'), beatsBefore)
        await Promise.all([close(), own.close()])
      })

  it('raises an alarm if it returns without a commit of its promoted standby', async () => {
    await primary.untilReplayed()
    const { reads, reversals, to, close } = await serverWith(at(standby))
    await to(500)
    await standby.promote()
    const promoted = await openStorage({ dataDir: '', databaseUrl: at(standby) })
    await to(2000, true)
    await write(promoted, 'Fabrikam')
    await to(3000, true)
    assert.equal(await reads.read(nameOf), 'Fabrikam')
    await to(4000)
    assert.equal(reversals.length, 0)
    await to(9500)
    assert.equal(reversals.length, 1)
    const [read, latest] = reversals[0] ?? []
    assert.equal((read?.revision ?? 0) - (latest?.revision ?? 0), 1)
    await to(20_000)
    assert.equal(reversals.length, 1, 'once')
    await Promise.all([close(), promoted.close()])
  })
})
