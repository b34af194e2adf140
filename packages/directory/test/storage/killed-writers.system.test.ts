import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  assertHolds,
  heldBy,
  type Place,
  Writer,
} from '../../../../test/fixtures/directory/writer.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { openStorage } from '../../src/storage/storage.ts'

/** The number of killed writers: 100 for docs/evidence. */
const kills = Number(process.env.KILLS ?? 2)

const dataDir = freshFolder()
let server: PostgresServer

before(async () => {
  server = await PostgresServer.start()
})

after(async () => {
  await Writer.killAll()
  await server.stop()
})

/** Kills one of at most two running writers in each round, and opens their store afterwards. */
async function killWriters(place: Place) {
  const acknowledged: string[] = []
  let slowestMs = 0
  // The third one starts while no other writes, because that would cost much processor time.
  const numbers = Array.from({ length: kills }, (_, index) => index)
  const writers = numbers.splice(0, 3).map((number) => new Writer(place, `writer ${number}`))
  for (let round = 1; round <= kills; round += 1) {
    await Promise.all(writers.map((writer) => writer.ready()))
    const [victim, next] = writers
    assert.ok(victim)
    await Promise.all([victim.wrote(3), next?.wrote(3)])
    await setTimeout(Math.random() * 20)
    await victim.kill()
    acknowledged.push(...victim.acknowledged)

    const startedAt = performance.now()
    const storage = await openStorage(place)
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    await assertHolds(storage, victim.acknowledged)
    await storage.close()
    writers.shift()
    for (const number of numbers.splice(0, 1)) writers.push(new Writer(place, `writer ${number}`))
  }
  return { acknowledged, slowestMs: Math.round(slowestMs) }
}

describe(`writers on one store, ${kills} of which are killed during a write (FL13, FL14)`, () => {
  for (const [kind, place] of [
    ['SQLite', async () => ({ dataDir })],
    ['PostgreSQL', async () => ({ dataDir: '', databaseUrl: await server.database() })],
  ] as const) {
    it(`lose no acknowledged change in ${kind}, and store no partial change`, async (test) => {
      const at = await place()
      const { acknowledged, slowestMs } = await killWriters(at)
      const storage = await openStorage(at)
      await assertHolds(storage, acknowledged)
      const { revision, counted, audited } = await heldBy(storage)
      await storage.close()
      test.diagnostic(
        `${acknowledged.length} changes acknowledged to killed writers, ${counted} stored, slowest opening ${slowestMs} ms`,
      )
      assert.ok(revision >= counted, 'a killed writer may leave its number unused')
      assert.equal(audited.size, counted)
    })
  }
})

describe('two processes on one SQLite file (FL16)', () => {
  it('can both write without losing a change, even if one starts later', async () => {
    const folder = freshFolder()
    const place = { dataDir: folder }
    const writers = [new Writer(place, 'first', 60)]
    await writers[0]?.wrote(1)
    writers.push(new Writer(place, 'late', 30))
    await Promise.all(writers.map((writer) => writer.done()))
    const storage = await openStorage(place)
    const acknowledged = writers.flatMap((writer) => writer.acknowledged)
    await assertHolds(storage, acknowledged)
    assert.equal(acknowledged.length, 90)
    assert.equal((await heldBy(storage)).counted, 90)
    await storage.close()
    await rm(folder, { recursive: true })
  })
})
